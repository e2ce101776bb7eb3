// The record of a transition: what a person needs to know about it later. All of its parts have limits.

import type { Reason } from '../protocol/reasons.ts';
import { maxTargetNameLength } from '../text.ts';

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

/** Times are seconds since the Unix epoch. Unknown values are absent. */
export interface TransitionRecord {
  /** Unique across runs. An opaque cursor. */
  readonly id: string;
  readonly kind: EventKind;
  /** When the exporter observed it; exporter's clock. */
  readonly at: number;
  readonly target: string;
  /** Tag sets whose reports showed it; the one of the whole node first. */
  readonly tagSets?: readonly string[];
  readonly check?: string;
  /** Started, Live, Ready or Healthy. For Ready and Healthy, `tagSets` has one tag set. */
  readonly condition?: string;
  /** For a check: passing, failing. For a condition: True, False, Unknown. For a node: its NodeID or its version. */
  readonly from?: string;
  readonly to?: string;
  /** No report showed it: it follows from a changed timeOfFirstFailure. */
  readonly unseen?: true;
  /** Explains the transition if there is no error of a check. */
  readonly message?: string;
  /** Error of the check, from the failure that began or ended. */
  readonly error?: string;
  readonly reason?: Reason;
  /** For a condition: the reasons of the failing checks that count. */
  readonly failureReasons?: readonly Reason[];
  /** timeOfFirstFailure of that failure; node's clock. */
  readonly firstFailureAt?: number;
  /** contiguousFailures of that failure, as last seen. */
  readonly contiguousFailures?: number;
  /** When the run that showed it ended (node's clock), and how long it took. */
  readonly lastRunAt?: number;
  readonly durationSeconds?: number;
  /** Health check runs just before it that no poll observed. */
  readonly missedRuns?: number;
  /** Names of the other checks that failed then, worst first, at most 20 of `alsoFailingCount`. */
  readonly alsoFailing?: readonly string[];
  readonly alsoFailingCount?: number;
}

/** A record without an id: not added to the history yet. */
export type Draft = Omit<TransitionRecord, 'id'>;

/** `tagSets`: more than any configuration has. */
export const recordLimits = {
  id: 64,
  target: maxTargetNameLength,
  tagSets: 1000,
  name: 128,
  error: 1000,
  message: 500,
  names: 20,
  changes: 200,
} as const;
