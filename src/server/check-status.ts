// The checks of one report as a person wants them: worst first, bounded, with ages.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { boundedMessage } from './message.ts';
import { isoOf, rounded, shortened } from './text.ts';

/** Most checks shown of one report; the worst are kept. */
export const maxChecks = 200;

const limits = { name: 128, error: 1000 } as const;

export interface CheckStatus {
  /** At most 128 characters, as the error at most 1000: longer ones keep both ends around a "…". */
  readonly name: string;
  readonly state: 'failing' | 'not-yet-run' | 'passing';
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

export interface ChecksStatus {
  readonly checks: readonly CheckStatus[];
  readonly failing: number;
  readonly notYetRun: number;
  readonly passing: number;
  /** How many more there are than `checks` holds. */
  readonly leftOut: number;
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

/** What failed first comes first: it is the likeliest cause of the rest. */
export const worstCheckFirst = (a: CheckStatus, b: CheckStatus): number =>
  rank[a.state] - rank[b.state] || compare(a.firstFailureAt ?? '~', b.firstFailureAt ?? '~') || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const worstFirst = (a: Row, b: Row): number =>
  rank[a.state] - rank[b.state] ||
  (a.check.timeOfFirstFailure ?? Number.MAX_VALUE) - (b.check.timeOfFirstFailure ?? Number.MAX_VALUE) ||
  compare(a.name, b.name);

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

const statusOf = ({ name, check, state }: Row, nodeNow: number): CheckStatus => {
  const message = check.message === undefined ? undefined : boundedMessage(check.message);
  return {
    name: shortened(name, limits.name),
    state,
    contiguousFailures: check.contiguousFailures,
    ...(check.error !== undefined && { error: shortened(check.error, limits.error) }),
    ...(check.duration !== undefined && { durationSeconds: check.duration }),
    ...instants(check, nodeNow),
    ...(message !== undefined && { message: message.value }),
    ...(message?.cut === true && { messageCut: true as const }),
  };
};

/** `nodeNow`: the present in the node's clock, seconds since the Unix epoch. */
export const checksOf = (report: HealthReport, nodeNow: number): ChecksStatus => {
  const rows = [...report.checks].map(([name, check]): Row => ({ name, check, state: stateOf(check) })).sort(worstFirst);
  const count = (state: CheckStatus['state']): number => rows.filter((row) => row.state === state).length;
  return {
    checks: rows.slice(0, maxChecks).map((row) => statusOf(row, nodeNow)),
    failing: count('failing'),
    notYetRun: count('not-yet-run'),
    passing: count('passing'),
    leftOut: Math.max(0, rows.length - maxChecks),
  };
};
