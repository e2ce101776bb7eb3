// The checks of one report as a person wants them: worst first, with reasons and ages.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { Instant } from '../protocol/time.ts';
import { failingOf } from '../verdict/failing.ts';

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

/** Worst first, as the conditions name them; then those that pass, by name. */
export const checksOf = (report: HealthReport, { nodeNow }: Pick<Circumstances, 'nodeNow'>): readonly ReportedCheck[] => {
  const present = nodeNow ?? newestIn(report);
  const failing = failingOf(report);
  const failed = new Set(failing.map(({ check }) => check));
  const passing = [...report.checks].filter(([check]) => !failed.has(check)).sort(byName);
  return [
    ...failing.map(({ check, result }) => reportedCheck(check, result, present)),
    ...passing.map(([check, result]) => reportedCheck(check, result, present)),
  ];
};

type Entry = readonly [check: string, result: CheckResult];

const byName = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : Number(a > b));

/** When the last check ran; 0 where none did. */
const newestIn = (report: HealthReport): number =>
  [...report.checks.values()].reduce(
    (latest, { timestamp }) => (typeof timestamp === 'number' ? Math.max(latest, timestamp) : latest),
    0,
  );

const reportedCheck = (check: string, result: CheckResult, nodeNow: number): ReportedCheck => {
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
