// The checks of one report for people: worst first, with reasons and ages.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { reasonOf } from '../protocol/reasons.ts';
import type { Instant } from '../protocol/time.ts';
import { checksWorstFirst, type NamedCheck, standingOf } from '../sources/health/worst-first.ts';

/** How the report was requested, and what its ages depend on. Instants and ages are in seconds. */
export interface Circumstances {
  /** The requested tags; empty: the whole node. */
  readonly tags: readonly string[];
  /** The tags in `tags` that do not add any check to the report. */
  readonly unknownTags: readonly string[];
  /** The current time by the node's clock. Absent: the newest timestamp of the report is used. */
  readonly nodeNow?: number;
  /** Node clock − exporter clock; absent if the difference is within the error of the measurement. */
  readonly skew?: number;
  /** A check is stale if its last run is longer ago. */
  readonly maxAge: number;
}

export type ReportedCheck = Readonly<ReturnType<typeof reportedCheck>>;

/** Worst first, as in all output. Without `nodeNow`, ages are relative to the newest check run. */
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
  // Instants are by the node's clock.
  return {
    check,
    state: standingOf({ check, result }),
    reason: reasonOf(check, result),
    error,
    contiguousFailures,
    firstFailureAt,
    failingFor: firstFailureAt === undefined ? undefined : nodeNow - firstFailureAt,
    lastRunAt,
    lastRunAge: lastRunAt === undefined ? undefined : nodeNow - lastRunAt,
    duration,
    /** The texts of a message that is a list of texts: `bootstrapped` lists the subnets that are bootstrapping. */
    lists: isTexts(message) ? message : undefined,
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
