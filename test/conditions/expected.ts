// What several situations of the truth table have in common: conditions, samples, and lines of the event history.

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

/** The samples of a report: gone when it is old. */
export const ofReports = ['health_healthy{}', 'check_healthy{}', 'health_frozen{}', 'network_connected_peers{}'];

export const everyTagSet = (from: Said, to: Said, reasons = ''): readonly string[] =>
  ['all', 'primary', 'alpha', 'beta'].map((name) => `Ready ${name}: ${from} → ${to}${reasons && ` (${reasons})`}`);

/** A fault of subnet beta, or of its chain alone. */
export const betaAndAll = (reasons: string): readonly string[] =>
  ['all', 'beta'].map((name) => `Ready ${name}: True → False (${reasons})`);

/** What an exporter records of a node that it sees for the first time. */
export const met = (ready: Said, reasons = ''): readonly string[] => [
  'Started: Unknown → True',
  ...everyTagSet('Unknown', ready, reasons),
  'Live: Unknown → True',
];

/** A node that was well does not answer any more. */
export const lost = (to: Said): readonly string[] => [
  `Started: True → ${to}`,
  'Live: True → Unknown',
  ...everyTagSet('True', to),
];

/** The connection of a healthy node is refused: no process is there any more, and the next one has reported nothing. */
export const gone: readonly string[] = ['Started: True → False', ...everyTagSet('True', 'Unknown'), 'Live: True → Unknown'];
