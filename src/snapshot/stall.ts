// Detects whether the node's health worker still runs its checks. A run waits for all checks without a timeout: if one hangs, all results are
// frozen, and the report stays as it was.

import type { HealthReport } from '../protocol/health.ts';
import { type CheckInterval, settledInterval } from './check-interval.ts';
import { newestRun, sameRun } from './health-run.ts';
import type { Progress } from './progress.ts';
import { longestInterval } from './run-distance.ts';

/** The input for a node that responds. Times are seconds by the steady clock. */
export interface Stalling {
  /** The untagged report of the last poll, if there was one. */
  readonly report?: HealthReport | undefined;
  /** When the report arrived. */
  readonly reportAt: number;
  readonly progress: Progress;
  readonly interval: CheckInterval;
  readonly configured: number;
  /** Whether the configured interval counts as it is until the real one is settled: a probe never settles it. */
  readonly isCertain?: boolean;
  /** In check intervals. */
  readonly frozenAfter: number;
}

export interface Stall {
  /** For more than `frozenAfter` check intervals. */
  readonly frozen: boolean;
  /** Since when no timestamp has advanced; steady clock. */
  readonly since: number;
  /** The time until which (inclusive) they do not count as frozen. */
  readonly until: number;
  /** While frozen, the check with the oldest timestamp: if a run hangs, it waits for this one. */
  readonly suspect?: string;
}

/** Undefined if it is unknown: no check has run yet, the age of the results is unknown, or the API does not respond. */
export const stallAt = (of: Stalling, now: number): Stall | undefined => {
  const { report, reportAt, progress } = of;
  const { since } = progress;
  if (report === undefined || since === undefined) return undefined;
  const limit = limitOf(of);
  const until = since + limit.seconds;
  // A poll is valid for one interval: if the exporter was delayed longer, it does not know what happened after that.
  const frozen = Math.min(now, reportAt + limit.interval) > until;
  if (progress.basis === 'first-report' && !frozen) return undefined;
  const suspect = frozen ? suspectOf(report) : undefined;
  return { frozen, since, until, ...(suspect !== undefined && { suspect }) };
};

/** The time until which (inclusive) a node that is not frozen at `now` counts as not frozen without another poll. */
export const movingUntil = (of: Stalling, now: number): number => {
  const { since } = of.progress;
  if (of.report === undefined || since === undefined || stallAt(of, now)?.frozen === true) return Number.POSITIVE_INFINITY;
  return since + limitOf(of).seconds;
};

/** How long no timestamp has advanced, in measured check intervals, and in polls: only these values may cause a restart. */
export const measuredStall = (
  of: Stalling,
  now: number,
): { readonly since: number; readonly intervals: number; readonly polls: number } | undefined => {
  const stall = stallAt(of, now);
  const settled = settledInterval(of.interval);
  if (stall === undefined || of.progress.basis !== 'advance' || settled === undefined) return undefined;
  return { since: stall.since, intervals: (now - stall.since) / settled, polls: of.progress.quietPolls };
};

/** Seconds. The minimum check interval that is assumed until the real one is settled. */
const supposedInterval = 300;

interface Limit {
  readonly interval: number;
  readonly seconds: number;
}

/**
 * The settled interval. Until there is one, it is the configured interval, which may be too short: so it is at least five minutes, and at
 * least what was measured so far, even of the process before.
 */
const limitOf = ({ interval, configured, isCertain = false, frozenAfter }: Stalling): Limit => {
  const settled = settledInterval(interval) ?? (isCertain ? configured : undefined);
  if (settled !== undefined) return { interval: settled, seconds: frozenAfter * settled };
  const seen = Math.min(longestInterval, Math.max(interval.inferred ?? 0, interval.apart ?? 0));
  return { interval: configured, seconds: frozenAfter * Math.max(configured, supposedInterval, seen) };
};

/** The oldest check that is behind the newest run; else a check that has never run; else the oldest of the run. */
const suspectOf = (report: HealthReport): string | undefined => {
  const newest = newestRun(report)?.start;
  let oldest: { readonly name: string; readonly at: number } | undefined;
  let never: string | undefined;
  let lags = false;
  for (const [name, { timestamp, duration = 0 }] of report.checks) {
    if (timestamp === 'never') never ??= name;
    if (typeof timestamp !== 'number') continue;
    if (newest !== undefined && timestamp - duration <= newest - sameRun) lags = true;
    if (oldest === undefined || timestamp < oldest.at) oldest = { name, at: timestamp };
  }
  return lags ? oldest?.name : (never ?? oldest?.name);
};
