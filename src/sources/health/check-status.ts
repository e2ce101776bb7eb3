// The checks of one report as a person wants them: worst first, bounded, with ages.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { shortened } from '../../protocol/shortened.ts';
import { isoOf, rounded } from '../../snapshot/text.ts';
import { boundedMessage } from './bounded-message.ts';
import { maxChecks } from './checks.ts';

const limits = { name: 128, error: 1000 } as const;

export interface CheckStatus {
  /** At most 128 characters, as the error at most 1000: longer ones keep both ends around a "…". */
  readonly name: string;
  readonly state: 'failing' | 'not-yet-run' | 'passing';
  /** The tag sets whose last reports have it, the whole node first. */
  readonly countsFor: readonly string[];
  readonly error?: string;
  /** The node's own clock, in UTC; absent when the check has not run. */
  readonly lastRunAt?: string;
  /** Corrected by the clock skew where that is known, like every age of the node's. */
  readonly lastRunAgeSeconds?: number;
  readonly durationSeconds?: number;
  readonly contiguousFailures: number;
  /** The node's own clock, in UTC. */
  readonly firstFailureAt?: string;
  readonly failingForSeconds?: number;
  /** Any JSON value; what was too long for an answer is cut, and then `messageCut` is true. */
  readonly message?: unknown;
  readonly messageCut?: true;
}

export interface CheckCounts {
  readonly failing: number;
  readonly notYetRun: number;
  readonly passing: number;
}

const stateOf = (check: CheckResult): CheckStatus['state'] => {
  if (check.error === undefined) return 'passing';
  return check.timestamp === 'never' ? 'not-yet-run' : 'failing';
};

const rank = { failing: 0, 'not-yet-run': 1, passing: 2 } as const;

interface Row {
  readonly name: string;
  readonly check: CheckResult;
  readonly state: CheckStatus['state'];
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What failed first comes first: it is the likeliest cause of the rest. */
const worstFirst = (a: Row, b: Row): number =>
  rank[a.state] - rank[b.state] ||
  (a.check.timeOfFirstFailure ?? Number.MAX_VALUE) - (b.check.timeOfFirstFailure ?? Number.MAX_VALUE) ||
  compare(a.name, b.name);

const rowsOf = (report: HealthReport): readonly Row[] =>
  Array.from(report.checks, ([name, check]): Row => ({ name, check, state: stateOf(check) })).sort(worstFirst);

export const countChecks = (report: HealthReport): CheckCounts => {
  const counts = { failing: 0, 'not-yet-run': 0, passing: 0 };
  for (const check of report.checks.values()) counts[stateOf(check)] += 1;
  return { failing: counts.failing, notYetRun: counts['not-yet-run'], passing: counts.passing };
};

/** Of the checks that do not pass, worst first. */
export const failingNames = (report: HealthReport): readonly string[] =>
  rowsOf(report)
    .filter(({ state }) => state !== 'passing')
    .slice(0, maxChecks)
    .map(({ name }) => shortened(name, limits.name));

/**
 * The worst 200. `nodeNow`: the present in the node's clock, seconds since the Unix epoch. `countsFor`: the tag sets of a check,
 * by its name in the report.
 */
export const checksOf = (
  report: HealthReport,
  nodeNow: number,
  countsFor: (check: string) => readonly string[],
): readonly CheckStatus[] =>
  rowsOf(report)
    .slice(0, maxChecks)
    .map((row) => checkStatus(row, nodeNow, countsFor(row.name)));

const checkStatus = ({ name, check, state }: Row, nodeNow: number, countsFor: readonly string[]): CheckStatus => {
  const message = check.message === undefined ? undefined : boundedMessage(check.message);
  return {
    name: shortened(name, limits.name),
    state,
    countsFor,
    contiguousFailures: check.contiguousFailures,
    ...(check.error !== undefined && { error: shortened(check.error, limits.error) }),
    ...(check.duration !== undefined && { durationSeconds: check.duration }),
    ...instants(check, nodeNow),
    ...(message !== undefined && { message: message.value }),
    ...(message?.cut === true && { messageCut: true as const }),
  };
};

const instants = (check: CheckResult, nodeNow: number): Partial<CheckStatus> => {
  const { timestamp, timeOfFirstFailure } = check;
  return {
    ...(typeof timestamp === 'number' && {
      lastRunAt: isoOf(timestamp),
      lastRunAgeSeconds: rounded(nodeNow - timestamp),
    }),
    ...(timeOfFirstFailure !== undefined && {
      firstFailureAt: isoOf(timeOfFirstFailure),
      failingForSeconds: rounded(nodeNow - timeOfFirstFailure),
    }),
  };
};
