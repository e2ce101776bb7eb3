// The short form of what endurance.soak.test.ts does for a year.

import { testEndurance } from './endurance-suite.ts';

testEndurance(
  'ten days of twenty nodes keep memory, timers, counters and every series',
  { run: 'year', days: 10, targets: 20, interval: 3600, scrapeEvery: 7200 },
  600_000,
);
