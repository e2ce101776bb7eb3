// Tracks when a node runs its checks. Each poll updates the clock, the interval and the progress, in this order, because each uses the one
// before.

import type { HealthReport } from '../protocol/health.ts';
import { type CheckInterval, resetInterval, unknownInterval } from './check-interval.ts';
import { type Clock, observeDate, observeRunEnd, type Stamped, skewOf, unknownClock } from './clock.ts';
import { newestRun } from './health-run.ts';
import { observeRun } from './observe-run.ts';
import { noProgress, observeProgress, type Progress } from './progress.ts';

export interface RunTracking {
  readonly interval: CheckInterval;
  readonly clock: Clock;
  readonly progress: Progress;
}

/** `configured`: the configured check interval, seconds. */
export const newTracking = (configured: number): RunTracking => ({
  interval: unknownInterval(configured),
  clock: unknownClock,
  progress: noProgress,
});

/** After a restart: the timestamps of the old process no longer count, but the clock is the same. */
export const resetTracking = ({ interval, clock }: RunTracking, configured: number): RunTracking => ({
  interval: resetInterval(interval, configured),
  clock,
  progress: noProgress,
});

export interface ReportObservation extends Stamped {
  readonly report: HealthReport;
  /** Previous report, if any. */
  readonly known: HealthReport | undefined;
  readonly configured: number;
}

export interface ObservedReport {
  readonly tracking: RunTracking;
  readonly missed: number;
  /** Seconds from the end of a run to its detection, if this poll is the first to show all its results. */
  readonly delay?: number;
}

/** Applies a poll with a report. A poll without a report only updates the clock (observeDate). */
export const observeReport = (before: RunTracking, observation: ReportObservation): ObservedReport => {
  const { report, known, sentAt, endedAt, configured } = observation;
  const run = newestRun(report);
  const dated = observeDate(before.clock, observation);
  const clock = run === undefined ? dated : observeRunEnd(dated, before.interval, { ...observation, run });
  const seen = observeRun(before.interval, { sentAt, endedAt, configured, ...(run !== undefined && { run }) });
  const tracking = {
    interval: seen.interval,
    clock,
    progress: observeProgress(before.progress, known, report, observation),
  };
  const skew = skewOf(clock);
  if (!seen.completed || run === undefined || skew === undefined) return { tracking, missed: seen.missed };
  // The previous poll did not show the run. So the run ended after that poll was sent, even if the node's clock says otherwise.
  const longest = endedAt - (before.interval.askedAt ?? endedAt);
  return { tracking, missed: seen.missed, delay: Math.min(longest, Math.max(0, endedAt + skew - run.end)) };
};
