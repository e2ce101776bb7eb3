// The checks of one report as a person wants them: worst first, with reasons and ages.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { Instant } from '../protocol/time.ts';

/** How the report was come by. Instants and ages in seconds. */
export interface Circumstances {
  /** Asked with; empty is the whole node. */
  readonly tags: readonly string[];
  /** Those of `tags` that add no check of their own. */
  readonly unknownTags: readonly string[];
  /** The present in the node's clock; without it the newest timestamp of the report is its present. */
  readonly nodeNow?: number;
  /** The node's clock less ours, where it is wrong by more than can be told. */
  readonly skew?: number;
  /** A check that last ran longer ago is stale. */
  readonly maxAge: number;
  /** A report whose checks are all stale is no proof of health. */
  readonly ageCounts: boolean;
}

export interface Finding {
  readonly check: string;
  readonly state: 'failing' | 'not-yet-run' | 'passing';
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

/** Worst first. */
export const findingsOf = (report: HealthReport, { nodeNow }: Circumstances): readonly Finding[] => {
  const present = nodeNow ?? newest(report);
  return Array.from(report.checks, ([check, result]) => findingOf(check, result, present)).sort(worstFirst);
};

/** When the last check ran; 0 where none did. */
const newest = (report: HealthReport): number =>
  [...report.checks.values()].reduce(
    (latest, { timestamp }) => (typeof timestamp === 'number' ? Math.max(latest, timestamp) : latest),
    0,
  );

const rank = { failing: 0, 'not-yet-run': 1, passing: 2 } as const;

/** What failed first comes first: it is the likeliest cause of the rest. */
const worstFirst = (a: Finding, b: Finding): number =>
  rank[a.state] - rank[b.state] ||
  (a.firstFailureAt ?? Number.MAX_VALUE) - (b.firstFailureAt ?? Number.MAX_VALUE) ||
  (a.check < b.check ? -1 : Number(a.check > b.check));

const findingOf = (check: string, result: CheckResult, nodeNow: number): Finding => {
  const { error, timestamp, timeOfFirstFailure, duration, message, contiguousFailures } = result;
  const reason = reasonOf(check, result);
  return {
    check,
    state: reason === undefined ? 'passing' : reason === 'not-yet-run' ? 'not-yet-run' : 'failing',
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
