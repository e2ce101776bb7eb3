// Shared parts of situations of the truth table: conditions, samples, and lines of the event history.

import type { Expected, Said } from './situation.ts';

export const every = (started: Said, healthy: Said, ready: Said, live: Said): Expected => ({
  started,
  healthy,
  all: ready,
  primary: ready,
  alpha: ready,
  beta: ready,
  live,
});

export const well = every('True', 'True', 'True', 'True');

/** A sample of a condition's status. */
export const is = (
  condition: 'Started' | 'Live' | 'Ready' | 'Healthy',
  status: Said,
  tagSet = '',
): Readonly<Record<string, number>> => ({
  [`target_condition{condition=${condition},${tagSet && `tag_set=${tagSet},`}status=${status.toLowerCase()}}`]: 1,
});

export const up = { 'up{}': 1, ...is('Started', 'True'), ...is('Live', 'True') };
export const down = { 'up{}': 0 };
export const moving = { ...up, 'health_frozen{}': 0, 'health_check_interval_seconds{}': 30 };

/** The samples of a report, absent when it is stale. */
export const ofReports = ['health_healthy{}', 'check_healthy{}', 'health_frozen{}', 'network_connected_peers{}'];

export const everyTagSet = (from: Said, to: Said, reasons = ''): readonly string[] =>
  ['all', 'primary', 'alpha', 'beta'].map((name) => `Ready ${name}: ${from} → ${to}${reasons && ` (${reasons})`}`);

/** A fault of subnet beta, or of its chain alone. */
export const betaAndAll = (reasons: string): readonly string[] =>
  ['all', 'beta'].map((name) => `Ready ${name}: True → False (${reasons})`);

/** What an exporter records for a node that it sees for the first time. */
export const met = (ready: Said, reasons = ''): readonly string[] => [
  'Started: Unknown → True',
  ...everyTagSet('Unknown', ready, reasons),
  'Live: Unknown → True',
];

/** A healthy node no longer answers. */
export const lost = (to: Said): readonly string[] => [
  `Started: True → ${to}`,
  'Live: True → Unknown',
  ...everyTagSet('True', to),
];

/** The connection to a healthy node is refused: its process is gone, and the next one has not reported yet. */
export const gone: readonly string[] = ['Started: True → False', ...everyTagSet('True', 'Unknown'), 'Live: True → Unknown'];
