// Computes when to poll next. A pure function, so that time can be simulated, and polls keep any interval exactly.
//
// The node cannot change two limits: at most one poll per second, and at most two check intervals between polls. The check interval is the
// configured one, or a longer one that the exporter has measured by its own clock.

import { type CheckInterval, probeEvery, settledInterval } from './check-interval.ts';
import { type Clock, skewOf } from './clock.ts';
import type { HealthRun } from './health-run.ts';
import { isSubsecond, mayBeSubsecond } from './subsecond.ts';

/** Seconds after the expected end of a health check run, because a check may take a little longer than in the last runs. */
const margin = 0.05;

/** Minimum seconds between two polls. */
const minWait = 1;

/** Limits the extra polls for a late run; the time between them doubles. */
const maxRetries = 6;

export interface Timing {
  readonly interval: CheckInterval;
  readonly clock: Clock;
  /** Seconds. Used as the check interval until that is measured. */
  readonly configured: number;
  /** When the last poll was due, and when it ended; steady clock. */
  readonly lastDue: number;
  readonly lastEnd: number;
  /** The last poll brought a report. */
  readonly answered: boolean;
  /** Seconds by which this target is polled later than others that are due at the same time. */
  readonly offset: number;
}

/** When the next poll is due; steady clock, later than lastEnd. */
export const nextDue = (timing: Timing): number => {
  const { interval, configured, lastDue, lastEnd } = timing;
  const period = interval.inferred ?? configured;
  const due = timing.answered && interval.run !== undefined ? following(timing, period) : lastDue + period;
  // After a delay, by a slow response or a stopped process, skip to the next due time of the same schedule instead of polling twice.
  const turn = turnAfter(lastEnd, due, period);
  const earliest = after(timing, minWait);
  return Math.max(earliest, Math.min(turn, lastDue + 2 * longestKnown(interval, configured)));
};

/** The first time after `end` in the schedule that has a time at `due`. */
const turnAfter = (end: number, due: number, period: number): number =>
  due > end ? due : due + period * Math.ceil((end - due) / period + 1e-6);

/** The longer of the configured interval and the measured one, which needs two measurements because one may be wrong. */
const longestKnown = (interval: CheckInterval, configured: number): number =>
  Math.max(configured, settledInterval(interval) ?? configured);

/** This time after the last poll was due; or after its end, if the poll took longer than this time. */
const after = ({ lastDue, lastEnd }: Timing, wait: number): number =>
  lastDue + wait > lastEnd ? lastDue + wait : lastEnd + wait;

const following = (timing: Timing, period: number): number => {
  const { interval, lastEnd, lastDue, configured } = timing;
  const aim = aimAt(timing, period);
  if (interval.learning) {
    const wait = after(timing, Math.min(configured, learningWait(interval)));
    // If the interval is right, the next run may be due sooner.
    return aim !== undefined && aim > lastEnd ? Math.min(wait, aim) : wait;
  }
  const isProbe = interval.sinceProbe >= probeEvery && interval.emptyPolls === 0;
  if (isProbe && isSubsecond(interval)) return after(timing, 1.5 * minWait);
  if (isProbe && mayBeSubsecond(interval.inferred)) return after(timing, 1.5 * period);
  if (aim === undefined) return lastDue + period;
  const missing = interval.run?.complete === false || aim <= lastEnd;
  const wait = minWait * 2 ** Math.max(0, interval.emptyPolls - 1);
  if (missing && interval.emptyPolls < maxRetries && wait <= period / 2) return after(timing, wait);
  const turn = turnAfter(lastEnd, aim, period);
  const probes = isProbe && period >= 2;
  return probes && turn - period / 2 > lastEnd ? turn - period / 2 : turn;
};

/** While learning: slightly less than the time in which no new run came, so that at most one run can come before the next poll. */
const learningWait = ({ gap, quietAt, seenAt }: CheckInterval): number =>
  quietAt === undefined || seenAt === undefined ? gap : 0.9 * (quietAt - seenAt);

/** When the results of the next run should be available; steady clock. */
const aimAt = ({ interval, clock, offset }: Timing, period: number): number | undefined => {
  const skew = skewOf(clock);
  if (interval.run === undefined || skew === undefined) return undefined;
  return startOf(interval.run, interval, skew, period) + period + typicalLength(interval, period) + margin + offset;
};

/** When a run started, by the steady clock: from its timestamps, limited to the time between the polls before and after its results. */
const startOf = (run: HealthRun, { unseenAt, seenAt }: CheckInterval, skew: number, period: number): number => {
  const reported = run.firstResult - skew;
  const came = Math.min(seenAt ?? reported, Math.max(unseenAt ?? reported, reported));
  return came - Math.min(period / 2, run.firstResult - run.start);
};

/**
 * Seconds that a health check run usually takes, from the last runs. The longest of three is ignored, because it may have hung. The maximum
 * is half an interval: if results are missing by then, there is an extra poll.
 */
const typicalLength = ({ lengths }: CheckInterval, period: number): number => {
  const longestFirst = lengths.toSorted((one, other) => other - one);
  return Math.min(period / 2, longestFirst[longestFirst.length > 2 ? 1 : 0] ?? 0);
};
