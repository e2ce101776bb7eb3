// The checks of one report as a person wants them: worst first, with reasons and ages.

import type { HealthReport } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { Instant } from '../protocol/time.ts';
import { type CheckStanding, checksWorstFirst, type NamedCheck, standingOf } from '../sources/health/worst-first.ts';

/** How the report was come by. Instants and ages in seconds. */
export interface Circumstances {
  /** Asked with; empty is the whole node. */
  readonly tags: readonly string[];
  /** Those of `tags` that add no check of their own. */
  readonly unknownTags: readonly string[];
  /** The present in the node's clock; without it the newest timestamp of the report is its present. */
  readonly nodeNow?: number;
  /** The node's clock minus ours, where they differ by more than the measurement can be wrong. */
  readonly skew?: number;
  /** A check that last ran longer ago is stale. */
  readonly maxAge: number;
}

export interface ReportedCheck {
  readonly check: string;
  readonly state: CheckStanding;
  readonly reason?: Reason;
  readonly error?: string;
  /** In the node's clock, as `lastRunAt`. */
  readonly firstFailureAt?: Instant;
  readonly failingFor?: number;
  readonly contiguousFailures: number;
  readonly lastRunAt?: Instant;
  readonly lastRunAge?: number;
  readonly duration?: number;
  /** What a message that is a list of texts lists: the subnets that are bootstrapping. */
  readonly lists?: readonly string[];
}

/** Worst first, as everywhere. */
export const reportedChecks = (report: HealthReport, { nodeNow }: Pick<Circumstances, 'nodeNow'>): readonly ReportedCheck[] => {
  const present = nodeNow ?? newestIn(report);
  return checksWorstFirst(report).map((one) => reportedCheck(one, present));
};

/** When the last check ran; 0 where none did. */
const newestIn = (report: HealthReport): number =>
  [...report.checks.values()].reduce(
    (latest, { timestamp }) => (typeof timestamp === 'number' ? Math.max(latest, timestamp) : latest),
    0,
  );

const reportedCheck = ({ check, result }: NamedCheck, nodeNow: number): ReportedCheck => {
  const { error, timestamp, timeOfFirstFailure, duration, message, contiguousFailures } = result;
  const reason = reasonOf(check, result);
  return {
    check,
    state: standingOf(result),
    contiguousFailures,
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && { error }),
    ...(error !== undefined &&
      timeOfFirstFailure !== undefined && { firstFailureAt: timeOfFirstFailure, failingFor: nodeNow - timeOfFirstFailure }),
    ...(typeof timestamp === 'number' && { lastRunAt: timestamp, lastRunAge: nodeNow - timestamp }),
    ...(duration !== undefined && { duration }),
    ...(isTexts(message) && { lists: message }),
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
