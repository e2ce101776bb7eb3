// Estimates how far the node's clock is ahead of the exporter's: bounds that each poll may narrow.

import type { Answer } from '../client/client.ts';
import { type HealthRun, sameRun } from './health-run.ts';

/** Bounds of (node's clock − exporter's clock), in seconds. */
export interface Clock {
  readonly lower: number;
  readonly upper: number;
  /** When the bounds were last narrowed; steady clock. */
  readonly at: number;
}

export const unknownClock: Clock = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, at: 0 };

/** Maximum drift between two clocks in seconds per second (100 ppm), by which old bounds widen. */
const drift = 1e-4;

/** Times of a response: sent and received, steady clock, and its Date header, node's clock. */
export type Stamped = Pick<Answer<unknown>, 'sentAt' | 'endedAt' | 'date'>;

/** Applies an observation at `at`. If it contradicts the bounds before, a clock was set, and only the new bounds count. */
const narrow = (before: Clock, lower: number, upper: number, at: number): Clock =>
  within(before, lower, upper, at) ?? { lower, upper, at };

const within = (before: Clock, lower: number, upper: number, at: number): Clock | undefined => {
  const widened = drift * Math.max(0, at - before.at);
  const next = { lower: Math.max(before.lower - widened, lower), upper: Math.min(before.upper + widened, upper), at };
  return next.lower <= next.upper ? next : undefined;
};

/** The Date header is the node's clock rounded down to the second, read between request and response. */
export const observeDate = (clock: Clock, { date, sentAt, endedAt }: Stamped): Clock =>
  date === undefined ? clock : narrow(clock, date - endedAt, date + 1 - sentAt, endedAt);

/**
 * More precise than the Date header: the newest result existed when the response arrived, and not yet when the request before
 * was sent. `known`: the run that the poll before showed. If they disagree, the Date header wins: it shows the current clock, and
 * the run may be from before the clock was set.
 */
export const observeRunEnd = (
  clock: Clock,
  known: { readonly run?: HealthRun; readonly askedAt?: number },
  { run, endedAt, date }: Stamped & { readonly run: HealthRun },
): Clock => {
  const since = newSince(known.run, run);
  const upper = since !== undefined && known.askedAt !== undefined ? since - known.askedAt : Number.POSITIVE_INFINITY;
  const lower = run.end - endedAt;
  // If the clock was set during the run, its own bounds may contradict each other.
  return within(clock, lower, upper, endedAt) ?? (date === undefined && lower <= upper ? { lower, upper, at: endedAt } : clock);
};

/** Time of the first result that the last poll did not show; node's clock. */
const newSince = (known: HealthRun | undefined, run: HealthRun): number | undefined => {
  if (known === undefined) return undefined;
  // A run that started earlier is new too: the clock was set back.
  if (Math.abs(run.start - known.start) > sameRun) return run.firstResult;
  return run.end > known.end ? run.end : undefined;
};

/** Seconds that the node's clock is ahead (negative: behind). Undefined while one of the bounds is unknown. */
export const skewOf = (clock: Clock): number | undefined => {
  const middle = (clock.lower + clock.upper) / 2;
  return Number.isFinite(middle) ? middle : undefined;
};
