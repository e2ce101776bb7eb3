// A histogram as a value: what prom-client's would hold, but immutable, so that a snapshot can carry it.

export interface Histogram {
  /** Upper bounds, ascending; +Inf is implied. */
  readonly bounds: readonly number[];
  /** One count a bound, and a last one for what lies above; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export const emptyHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
});

export const record = (before: Histogram, value: number): Histogram => {
  const found = before.bounds.findIndex((bound) => value <= bound);
  const slot = found === -1 ? before.bounds.length : found;
  return { ...before, counts: before.counts.map((count, at) => (at === slot ? count + 1 : count)), sum: before.sum + value };
};

export const total = (histogram: Histogram): number => histogram.counts.reduce((sum, count) => sum + count, 0);
