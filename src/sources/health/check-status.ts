// Status of the checks of a report: worst first, limited, with ages.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { isoOf, rounded, shortened } from '../../text.ts';
import { boundedMessage } from './bounded-message.ts';
import { maxChecks } from './checks.ts';
import { type CheckStanding, checksWorstFirst, failingChecks, type NamedCheck, standingOf } from './worst-first.ts';

const limits = { name: 128, error: 1000 } as const;

export interface CheckStatus {
  /** At most 128 characters, `error` at most 1000: longer ones keep both ends around a "…". */
  readonly name: string;
  readonly state: CheckStanding;
  /** Tag sets that have it in their last report, the whole node first. */
  readonly countsFor: readonly string[];
  readonly error?: string;
  /** By the node's clock, in UTC. Undefined if the check has not run. */
  readonly lastRunAt?: string;
  /** Corrected by the clock skew if known, like all ages by the node's clock. */
  readonly lastRunAgeSeconds?: number;
  readonly durationSeconds?: number;
  readonly contiguousFailures: number;
  /** By the node's clock, in UTC. */
  readonly firstFailureAt?: string;
  readonly failingForSeconds?: number;
  /** Any JSON value. If it was cut, because it was too long, `messageCut` is true. */
  readonly message?: unknown;
  readonly messageCut?: true;
}

export type CheckCounts = Readonly<ReturnType<typeof countChecks>>;

export const countChecks = (report: HealthReport) => {
  const counts = { failing: 0, 'not-yet-run': 0, passing: 0 };
  for (const [check, result] of report.checks) counts[standingOf({ check, result })] += 1;
  return { failing: counts.failing, notYetRun: counts['not-yet-run'], passing: counts.passing };
};

/** Names of checks that do not pass, worst first. */
export const failingNames = (report: HealthReport): readonly string[] =>
  failingChecks(report)
    .slice(0, maxChecks)
    .map(({ check }) => shortened(check, limits.name));

/**
 * The worst 200. `nodeNow`: current time by the node's clock, seconds since the Unix epoch. `countsFor`: tag sets of a check, by
 * its name in the report.
 */
export const checksOf = (
  report: HealthReport,
  nodeNow: number,
  countsFor: (check: string) => readonly string[],
): readonly CheckStatus[] =>
  checksWorstFirst(report)
    .slice(0, maxChecks)
    .map((one) => checkStatus(one, nodeNow, countsFor(one.check)));

const checkStatus = ({ check, result }: NamedCheck, nodeNow: number, countsFor: readonly string[]): CheckStatus => {
  const message = result.message === undefined ? undefined : boundedMessage(result.message);
  return {
    name: shortened(check, limits.name),
    state: standingOf({ check, result }),
    countsFor,
    contiguousFailures: result.contiguousFailures,
    ...(result.error !== undefined && { error: shortened(result.error, limits.error) }),
    ...(result.duration !== undefined && { durationSeconds: result.duration }),
    ...instants(result, nodeNow),
    ...(message !== undefined && { message: message.value }),
    ...((message?.cut === true || result.messageCut === true) && { messageCut: true as const }),
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
