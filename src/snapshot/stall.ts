// Whether the node's health worker still runs its checks. A run waits for all of them, and without a limit: one that hangs
// freezes every result, and the report goes on to say what was true once.

import type { HealthReport } from '../protocol/health.ts';
import { type CheckInterval, settledInterval } from './check-interval.ts';
import { newestRun, sameRun } from './health-run.ts';
import type { Progress } from './progress.ts';
import { longestInterval } from './run-distance.ts';

/** What is known of a node that answers. Seconds, steady clock. */
export interface Stalling {
  /** The untagged report of the last poll; absent where that brought none. */
  readonly report?: HealthReport | undefined;
  /** When it was there. */
  readonly reportAt: number;
  readonly progress: Progress;
  readonly interval: CheckInterval;
  readonly configured: number;
  /** In check intervals. */
  readonly frozenAfter: number;
}

export interface Stall {
  /** For more than `frozenAfter` check intervals. */
  readonly frozen: boolean;
  /** Since when no timestamp has advanced; steady clock. */
  readonly since: number;
  /** While frozen, the check with the oldest timestamp: where a run hangs, that of the check it waits for. */
  readonly suspect?: string;
}

/** Undefined where it cannot be known: nothing has run yet, its age is not known, or the API does not answer. */
export const stallAt = (of: Stalling, now: number): Stall | undefined => {
  const { report, reportAt, progress } = of;
  const { since } = progress;
  if (report === undefined || since === undefined) return undefined;
  const limit = limitOf(of);
  // A poll speaks for one interval: of what comes after it an exporter that was held up knows nothing.
  const frozen = Math.min(now, reportAt + limit.interval) > since + limit.seconds;
  if (progress.basis === 'first-report' && !frozen) return undefined;
  const suspect = frozen ? suspectOf(report) : undefined;
  return { frozen, since, ...(suspect !== undefined && { suspect }) };
};

/** The instant up to which (inclusive) a node that is not frozen at `now` stays so without another poll. */
export const movingUntil = (of: Stalling, now: number): number => {
  const { since } = of.progress;
  if (of.report === undefined || since === undefined || stallAt(of, now)?.frozen === true) return Number.POSITIVE_INFINITY;
  return since + limitOf(of).seconds;
};

/** How long nothing has advanced, in check intervals that were measured, and the polls that say so: what a restart may rest on. */
export const measuredStall = (
  of: Stalling,
  now: number,
): { readonly since: number; readonly intervals: number; readonly polls: number } | undefined => {
  const stall = stallAt(of, now);
  const settled = settledInterval(of.interval);
  if (stall === undefined || of.progress.basis !== 'advance' || settled === undefined) return undefined;
  return { since: stall.since, intervals: (now - stall.since) / settled, polls: of.progress.quietPolls };
};

/** Shortest check interval that is supposed of a node whose real one is not settled yet, seconds. */
const supposedInterval = 300;

interface Limit {
  readonly interval: number;
  readonly seconds: number;
}

/**
 * The settled interval. Until it is, the configured one stands for it, which may be too short: so it counts for five minutes at
 * least, and for what was seen so far, be it of the process before.
 */
const limitOf = ({ interval, configured, frozenAfter }: Stalling): Limit => {
  const settled = settledInterval(interval);
  if (settled !== undefined) return { interval: settled, seconds: frozenAfter * settled };
  const seen = Math.min(longestInterval, Math.max(interval.inferred ?? 0, interval.apart ?? 0));
  return { interval: configured, seconds: frozenAfter * Math.max(configured, supposedInterval, seen) };
};

/** A check that lags behind the newest run, the oldest first; else one that has never run; else the oldest of the run. */
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
