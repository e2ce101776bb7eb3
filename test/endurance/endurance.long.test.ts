// Short forms of the runs of endurance.soak.test.ts, which last a year and a week.

import { testEndurance } from './endurance-suite.ts';

testEndurance(
  'memory and timers do not grow and no series is lost or goes back in ten days of twenty nodes',
  { run: 'year', days: 10, targets: 20, interval: 3600, scrapeEvery: 7200 },
  600_000,
);

// 47,000 requests of 3,600 polls, 470 scrapes, 55 reloads and four restarts. Half of them are between the second quarter and the last:
// memory may grow by 1.3 MiB meanwhile (vitals.ts), and grows by 0.8, so a leak of 20 bytes per request or 2 KiB per scrape is found.
testEndurance(
  'memory, timers and handles do not grow and no series is lost or goes back in six hours of five nodes on sockets',
  { run: 'week', days: 0.25, targets: 5, interval: 30, scrapeEvery: 60 },
  600_000,
);
