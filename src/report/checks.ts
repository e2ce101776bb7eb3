// The checks of one report as a person wants them: worst first, with reasons and ages.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { reasonOf } from '../protocol/reasons.ts';
import type { Instant } from '../protocol/time.ts';
import { checksWorstFirst, type NamedCheck, standingOf } from '../sources/health/worst-first.ts';

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

export type ReportedCheck = Readonly<ReturnType<typeof reportedCheck>>;

/** Worst first, as everywhere. Without `nodeNow` the newest check run is the present. */
export const reportedChecks = (report: HealthReport, { nodeNow }: Pick<Circumstances, 'nodeNow'>): readonly ReportedCheck[] => {
  const runs = Array.from(report.checks.values(), lastRunOf).filter((at) => at !== undefined);
  const present = nodeNow ?? runs.reduce((latest, at) => Math.max(latest, at), 0);
  return checksWorstFirst(report).map((one) => reportedCheck(one, present));
};

const lastRunOf = ({ timestamp }: CheckResult): Instant | undefined => (timestamp === 'never' ? undefined : timestamp);

const reportedCheck = ({ check, result }: NamedCheck, nodeNow: number) => {
  const { error, timeOfFirstFailure, duration, message, contiguousFailures } = result;
  const firstFailureAt = error === undefined ? undefined : timeOfFirstFailure;
  const lastRunAt = lastRunOf(result);
  // Instants are in the node's clock.
  return {
    check,
    state: standingOf(result),
    reason: reasonOf(check, result),
    error,
    contiguousFailures,
    firstFailureAt,
    failingFor: firstFailureAt === undefined ? undefined : nodeNow - firstFailureAt,
    lastRunAt,
    lastRunAge: lastRunAt === undefined ? undefined : nodeNow - lastRunAt,
    duration,
    /** What a message that is a list of texts lists: the subnets that are bootstrapping. */
    lists: isTexts(message) ? message : undefined,
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
