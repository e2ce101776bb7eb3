// When to poll next. A pure function of what is known, so that any frequency comes out even and time can be simulated.
//
// Two laws hold whatever the node says: never more than one poll a second, and never silent for longer than two intervals, of the
// configured one or the one that our own clock measured.

import { type CheckInterval, probeEvery, settledInterval } from './check-interval.ts';
import { type Clock, skewOf } from './clock.ts';
import type { HealthRun } from './health-run.ts';
import { isSubsecond, mayBeSubsecond } from './subsecond.ts';

/** Seconds after the expected end of the node's run: room for a check that takes a little longer than the last ones. */
const margin = 0.05;

/** Shortest time from one poll to the next, seconds. */
const shortestWait = 1;

/** Most polls that look again for a run that is late; they double their distance. */
const maxRetries = 6;

export interface Timing {
  readonly interval: CheckInterval;
  readonly clock: Clock;
  /** Seconds; the check interval until it is known. */
  readonly configured: number;
  /** When the last poll was due, and when it ended; steady clock. */
  readonly lastDue: number;
  readonly lastEnd: number;
  /** The last poll brought a report. */
  readonly answered: boolean;
  /** Seconds by which this target comes after others of the same phase. */
  readonly offset: number;
}

/** When the next poll is due; steady clock, later than lastEnd. */
export const nextDue = (timing: Timing): number => {
  const { interval, configured, lastDue, lastEnd } = timing;
  const period = interval.inferred ?? configured;
  const due = timing.answered && interval.run !== undefined ? following(timing, period) : lastDue + period;
  // Late, by a slow answer or a process that stood still: the next point of the same even grid, never two polls at once.
  const turn = due > lastEnd ? due : due + period * Math.ceil((lastEnd - due) / period + 1e-6);
  const earliest = after(timing, shortestWait);
  return Math.max(earliest, Math.min(turn, lastDue + 2 * longestKnown(interval, configured)));
};

/** The longer of the configured interval and the one that our own clock measured; one distance alone may be an error. */
const longestKnown = (interval: CheckInterval, configured: number): number =>
  Math.max(configured, settledInterval(interval) ?? configured);

/** So long after the last poll was due, or after its end where it took longer. */
const after = ({ lastDue, lastEnd }: Timing, wait: number): number =>
  lastDue + wait > lastEnd ? lastDue + wait : lastEnd + wait;

const following = (timing: Timing, period: number): number => {
  const { interval, lastEnd, lastDue, configured } = timing;
  const aim = aimAt(timing, period);
  if (interval.learning) {
    const wait = after(timing, Math.min(configured, learningWait(interval)));
    // The next run may be due sooner, if the interval is what we take it for.
    return aim !== undefined && aim > lastEnd ? Math.min(wait, aim) : wait;
  }
  const isProbe = interval.sinceProbe >= probeEvery && interval.emptyPolls === 0;
  if (isProbe && isSubsecond(interval)) return after(timing, 1.5 * shortestWait);
  if (isProbe && mayBeSubsecond(interval.inferred)) return after(timing, 1.5 * period);
  if (aim === undefined) return lastDue + period;
  const missing = interval.run?.complete === false || aim <= lastEnd;
  const wait = shortestWait * 2 ** Math.max(0, interval.emptyPolls - 1);
  if (missing && interval.emptyPolls < maxRetries && wait <= period / 2) return after(timing, wait);
  const turn = aim > lastEnd ? aim : aim + period * Math.ceil((lastEnd - aim) / period + 1e-6);
  const probes = isProbe && period >= 2;
  return probes && turn - period / 2 > lastEnd ? turn - period / 2 : turn;
};

/** While learning: a little less than the time for which nothing new is known to have come, so that one run at most can come. */
const learningWait = ({ gap, quietAt, seenAt }: CheckInterval): number =>
  quietAt === undefined || seenAt === undefined ? gap : 0.9 * (quietAt - seenAt);

/** When the results of the run after the newest seen one should be there, steady clock. */
const aimAt = ({ interval, clock, offset }: Timing, period: number): number | undefined => {
  const skew = skewOf(clock);
  if (interval.run === undefined || skew === undefined) return undefined;
  return startOf(interval.run, interval, skew, period) + period + typicalLength(interval, period) + margin + offset;
};

/** When a run started, steady clock: as its timestamps say, where they agree with the polls between which its results came. */
const startOf = (run: HealthRun, { unseenAt, seenAt }: CheckInterval, skew: number, period: number): number => {
  const reported = run.firstResult - skew;
  const came = Math.min(seenAt ?? reported, Math.max(unseenAt ?? reported, reported));
  return came - Math.min(period / 2, run.firstResult - run.start);
};

/**
 * Seconds that a run of the node's checks takes, as far as the last ones show. One that hung is not typical, and no run counts
 * for longer than half an interval: what is not there by then is looked for again.
 */
const typicalLength = ({ lengths }: CheckInterval, period: number): number => {
  const longestFirst = lengths.toSorted((one, other) => other - one);
  return Math.min(period / 2, longestFirst[longestFirst.length > 2 ? 1 : 0] ?? 0);
};
