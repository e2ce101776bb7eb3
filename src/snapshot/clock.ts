// How far the node's clock is ahead of ours, as an interval that every poll may narrow.

/** Bounds of (node's clock − exporter's clock), in seconds. */
export interface Clock {
  readonly lower: number;
  readonly upper: number;
  /** When the bounds were last narrowed; exporter's clock. */
  readonly at: number;
}

export const unknownClock: Clock = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, at: 0 };

/** Two clocks drift apart by less than this many seconds a second (100 ppm), so old bounds widen by it. */
const drift = 1e-4;

/** The bounds that hold after one more observation at `at`. Where the two exclude each other, a clock was set: the new one holds. */
export const narrow = (before: Clock, lower: number, upper: number, at: number): Clock => {
  const widened = drift * Math.max(0, at - before.at);
  const next = { lower: Math.max(before.lower - widened, lower), upper: Math.min(before.upper + widened, upper), at };
  return next.lower <= next.upper ? next : { lower, upper, at };
};

/** Seconds that the node's clock is ahead of ours (negative: behind), or undefined while one of the bounds is unknown. */
export const skewOf = (clock: Clock): number | undefined => {
  const middle = (clock.lower + clock.upper) / 2;
  return Number.isFinite(middle) ? middle : undefined;
};
