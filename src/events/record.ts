// One record for each transition: what a person needs to know of it later, bounded in every part.

import type { Reason } from '../protocol/reasons.ts';

export const eventKinds = [
  'check',
  'found-failing',
  'check-gone',
  'check-back',
  'node-restarted',
  'node-id-changed',
  'version-changed',
  'health-frozen',
  'health-running',
  'condition',
  'maintenance',
  'maintenance-ended',
  'target-removed',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** Instants are seconds since the Unix epoch. What is not known is absent. */
export interface TransitionRecord {
  /** Of this record alone, in every run; for a cursor, not to be read. */
  readonly id: string;
  readonly kind: EventKind;
  /** When the exporter knew; its own clock. */
  readonly at: number;
  readonly target: string;
  /** Whose reports showed it; the whole node's first. */
  readonly tagSets?: readonly string[];
  readonly check?: string;
  /** Started, Live; Ready and Healthy, each of the one tag set of `tagSets` */
  readonly condition?: string;
  /** Of a check: passing, failing. Of a condition: True, False, Unknown. Of a node: its NodeID, or its version */
  readonly from?: string;
  readonly to?: string;
  /** No report showed it: another timeOfFirstFailure proves it. */
  readonly unseen?: true;
  /** A sentence where there is no error of a check to say why. */
  readonly message?: string;
  /** What the check said while it failed: of the failure that began, or of the one that ended. */
  readonly error?: string;
  readonly reason?: Reason;
  /** Of a condition: the reasons of the failing checks that count. */
  readonly failureReasons?: readonly Reason[];
  /** timeOfFirstFailure of that failure; node's clock. */
  readonly firstFailureAt?: number;
  /** Of that failure, as last seen. */
  readonly contiguousFailures?: number;
  /** The result that showed it: when it ended (node's clock) and how long it took. */
  readonly lastRunAt?: number;
  readonly durationSeconds?: number;
  /** Rounds of the node's checks just before it that no poll saw. */
  readonly missedRuns?: number;
  /** Names of the other checks that failed then, worst first, at most 20 of `alsoFailingCount`. */
  readonly alsoFailing?: readonly string[];
  readonly alsoFailingCount?: number;
}

/** A record before it has its place among the others. */
export type Draft = Omit<TransitionRecord, 'id'>;

/** `target`: the longest that discovery makes. `tagSets`: more than anybody has. */
export const recordLimits = {
  id: 64,
  target: 317,
  tagSets: 1000,
  name: 128,
  error: 1000,
  message: 500,
  names: 20,
  changes: 200,
} as const;
