// A year of a hundred nodes in memory has 0.9 million polls and takes almost two hours of CPU. A week of five nodes on sockets has a
// million requests and takes half an hour.

import { testEndurance } from './endurance-suite.ts';

testEndurance(
  'memory and timers do not grow and no series is lost or goes back in a year of a hundred nodes',
  { run: 'year', days: 365, targets: 100, interval: 3600, scrapeEvery: 7200 },
  3 * 3_600_000,
);

testEndurance(
  'memory, timers and handles do not grow and no series is lost or goes back in a week of five nodes on sockets',
  { run: 'week', days: 7, targets: 5, interval: 30, scrapeEvery: 60 },
  3 * 3_600_000,
);
