// Outages as time intervals, and their total within a span. Queried for each pair of validators at each instant of a year.

/** Seconds since the Unix epoch; `to` is exclusive. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Sorted and disjoint, each with the total seconds of those before it. */
export type Intervals = readonly (Interval & { readonly before: number })[];

export const merged = (intervals: readonly Interval[]): Intervals => {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) joined.push({ from, to });
  }
  let sum = 0;
  return joined.map(({ from, to }) => {
    const before = sum;
    sum += to - from;
    return { from, to, before };
  });
};

/** Parts of `intervals` that are in none of `others`. */
export const without = (intervals: Intervals, others: Intervals): Intervals =>
  merged(
    intervals.flatMap(({ from, to }) => {
      const left: Interval[] = [];
      let at = from;
      for (const other of others) {
        if (other.to <= at || other.from >= to) continue;
        left.push({ from: at, to: other.from });
        at = other.to;
      }
      return [...left, { from: at, to }];
    }),
  );

/** The last one that begins by then. */
const lastBy = (intervals: Intervals, at: number): Intervals[number] | undefined => {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return intervals[low - 1];
};

const secondsUntil = (intervals: Intervals, at: number): number => {
  const last = lastBy(intervals, at);
  return last === undefined ? 0 : last.before + Math.min(at, last.to) - last.from;
};

export const secondsWithin = (intervals: Intervals, from: number, to: number): number =>
  secondsUntil(intervals, to) - secondsUntil(intervals, from);
