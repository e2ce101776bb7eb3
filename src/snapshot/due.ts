// When to look next. A pure function of what is known, so that any frequency comes out even and time can be simulated.

import { type Cadence, probeEvery, typicalLength } from './cadence.ts';
import { type Clock, skewOf } from './clock.ts';

/** Seconds after the expected end of the node's round: room for a check that takes a little longer than the last ones. */
const margin = 0.05;

/** First wait after a look that came too early, seconds; it doubles. */
const firstRetry = 0.2;
const mostRetries = 6;

export interface Timing {
  readonly cadence: Cadence;
  readonly clock: Clock;
  /** Seconds; what is polled at until the cadence is known. */
  readonly configured: number;
  /** When the last round of polls was due, and when it ended; exporter's clock. */
  readonly lastDue: number;
  readonly lastEnd: number;
  /** The last look brought a report. */
  readonly answered: boolean;
  /** Seconds by which this target comes after others of the same phase. */
  readonly offset: number;
}

/** When the next round of polls is due; exporter's clock, later than lastEnd. */
export const nextDue = (timing: Timing): number => {
  const { cadence, configured, lastEnd } = timing;
  const period = cadence.inferred ?? configured;
  const due = timing.answered && cadence.round !== undefined ? following(timing, period) : timing.lastDue + period;
  if (due > lastEnd) return due;
  // Late, by a slow answer or a stopped clock: the next point of the same even grid, never two rounds at once.
  return due + period * Math.ceil((lastEnd - due) / period + 1e-6);
};

const following = (timing: Timing, period: number): number => {
  const { cadence, lastEnd, lastDue, configured } = timing;
  if (cadence.learning) return lastEnd + Math.min(configured, learningWait(cadence));
  const aim = aimAt(timing, period);
  if (aim === undefined) return lastDue + period;
  const missing = cadence.round?.complete === false || aim <= lastEnd;
  const wait = firstRetry * 2 ** cadence.emptyLooks;
  if (missing && cadence.emptyLooks < mostRetries && wait <= period / 2) return lastEnd + wait;
  const turn = aim > lastEnd ? aim : aim + period * Math.ceil((lastEnd - aim) / period + 1e-6);
  const probes = cadence.sinceProbe >= probeEvery && cadence.emptyLooks === 0 && period >= 2;
  return probes && turn - period / 2 > lastEnd ? turn - period / 2 : turn;
};

/** While learning: a little less than the time for which nothing new is known to have come, so that one round at most can come. */
const learningWait = ({ gap, quietAt, seenAt }: Cadence): number =>
  quietAt === undefined || seenAt === undefined ? gap : Math.max(firstRetry, 0.9 * (quietAt - seenAt));

/** When the results of the round after the newest seen one should be there, in the exporter's clock. */
const aimAt = ({ cadence, clock, offset }: Timing, period: number): number | undefined => {
  const skew = skewOf(clock);
  if (cadence.round === undefined || skew === undefined) return undefined;
  return cadence.round.start + period + typicalLength(cadence) - skew + margin + offset;
};
