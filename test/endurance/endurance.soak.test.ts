// A year of a hundred nodes in memory, 0.9 million polls: not quite two hours of a processor. A week of five on sockets, a million requests: half
// an hour.

import { testEndurance } from './endurance-suite.ts';

testEndurance(
  'a year of a hundred nodes keeps memory, timers, counters and every series',
  { run: 'year', days: 365, targets: 100, interval: 3600, scrapeEvery: 7200 },
  3 * 3_600_000,
);

testEndurance(
  'a week of five nodes on sockets keeps memory, timers, handles, counters and every series',
  { run: 'week', days: 7, targets: 5, interval: 30, scrapeEvery: 60 },
  3 * 3_600_000,
);
