// What several situations of the truth table have in common: verdicts, samples, and lines of the evidence.

import type { Said, Verdicts } from './situation.ts';

export const every = (startup: Said, ready: Said, live: Said): Verdicts => ({
  startup,
  all: ready,
  primary: ready,
  alpha: ready,
  beta: ready,
  live,
});

export const well = every('yes', 'yes', 'yes');

export const up = { 'up{}': 1, 'target_started{}': 1, 'target_live{}': 1 };
export const down = { 'up{}': 0, 'target_started{}': 0, 'target_ready{tag_set=all}': 0 };
export const moving = { ...up, 'health_frozen{}': 0, 'health_cadence_seconds{}': 30 };

/** The samples of a report: gone when it is old. */
export const ofReports = ['health_healthy{}', 'check_healthy{}', 'health_frozen{}', 'network_connected_peers{}'];

export const everyTagSet = (from: Said, to: Said, because = ''): readonly string[] =>
  ['all', 'primary', 'alpha', 'beta'].map((name) => `ready ${name}: ${from} → ${to}${because && ` (${because})`}`);

/** A fault of subnet beta, or of its chain alone. */
export const betaAndAll = (because: string): readonly string[] =>
  ['all', 'beta'].map((name) => `ready ${name}: yes → no (${because})`);

/** What an exporter records of a node that it meets. */
export const met = (ready: Said, because = ''): readonly string[] => [
  'started: unknown → yes',
  ...everyTagSet('unknown', ready, because),
  'live: unknown → yes',
];

/** A node that was well does not answer any more. */
export const lost = (to: Said): readonly string[] => [`started: yes → ${to}`, 'live: yes → unknown', ...everyTagSet('yes', to)];
