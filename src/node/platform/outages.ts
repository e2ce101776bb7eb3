// Outages as time intervals, and their total within a span.

/** Seconds since the Unix epoch; `to` is exclusive. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Sorted and disjoint. */
export const merged = (intervals: readonly Interval[]): readonly Interval[] => {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) joined.push({ from, to });
  }
  return joined;
};

/** `intervals` must be disjoint. */
export const secondsWithin = (intervals: readonly Interval[], from: number, to: number): number =>
  intervals.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from)), 0);
