// An immutable histogram, so that it can be part of a snapshot, unlike the one of prom-client.

export interface Histogram {
  /** Upper bounds, ascending; +Inf is implied. */
  readonly bounds: readonly number[];
  /** One count per bound, and a last one for values above all bounds; not cumulative. */
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
