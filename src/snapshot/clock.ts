// How far the node's clock is ahead of ours, as an interval that every poll may narrow.

import { type HealthRun, sameRun } from './health-run.ts';

/** Bounds of (node's clock − exporter's clock), in seconds. */
export interface Clock {
  readonly lower: number;
  readonly upper: number;
  /** When the bounds were last narrowed; steady clock. */
  readonly at: number;
}

export const unknownClock: Clock = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, at: 0 };

/** Two clocks drift apart by less than this many seconds a second (100 ppm), so old bounds widen by it. */
const drift = 1e-4;

/** What an answer says of time: when it was asked for and there, steady clock, and its Date header, node's clock. */
export interface Stamped {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly date?: number;
}

/** The bounds that hold after one more observation at `at`. Where the two exclude each other, a clock was set: the new one holds. */
export const narrow = (before: Clock, lower: number, upper: number, at: number): Clock =>
  within(before, lower, upper, at) ?? { lower, upper, at };

const within = (before: Clock, lower: number, upper: number, at: number): Clock | undefined => {
  const widened = drift * Math.max(0, at - before.at);
  const next = { lower: Math.max(before.lower - widened, lower), upper: Math.min(before.upper + widened, upper), at };
  return next.lower <= next.upper ? next : undefined;
};

/** The Date header is the node's clock rounded down to the second, read between our asking and our having the answer. */
export const observeDate = (clock: Clock, { date, sentAt, endedAt }: Stamped): Clock =>
  date === undefined ? clock : narrow(clock, date - endedAt, date + 1 - sentAt, endedAt);

/**
 * Finer than the Date header: the newest result was there when we had the answer, and not yet when we asked the time before.
 * `known`: the run that the poll before showed. A Date header of the same poll is the clock of now and the run's may be that of
 * before a step, so the header wins.
 */
export const observeRunEnd = (
  clock: Clock,
  known: { readonly run?: HealthRun; readonly askedAt?: number },
  { run, endedAt, date }: Stamped & { readonly run: HealthRun },
): Clock => {
  const since = newSince(known.run, run);
  const upper = since !== undefined && known.askedAt !== undefined ? since - known.askedAt : Number.POSITIVE_INFINITY;
  const lower = run.end - endedAt;
  // A step while the run was under way lets its own results exclude each other.
  return within(clock, lower, upper, endedAt) ?? (date === undefined && lower <= upper ? { lower, upper, at: endedAt } : clock);
};

/** When a result came that the last poll did not show; the node's clock. */
const newSince = (known: HealthRun | undefined, run: HealthRun): number | undefined => {
  if (known === undefined) return undefined;
  // One that started earlier is new too: the clock was set back.
  if (Math.abs(run.start - known.start) > sameRun) return run.firstResult;
  return run.end > known.end ? run.end : undefined;
};

/** Seconds that the node's clock is ahead of ours (negative: behind), or undefined while one of the bounds is unknown. */
export const skewOf = (clock: Clock): number | undefined => {
  const middle = (clock.lower + clock.upper) / 2;
  return Number.isFinite(middle) ? middle : undefined;
};
