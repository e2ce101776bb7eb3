// Growth rate of an index, computed from a few of its last heads, far enough apart.

import { type IndexHead, lastOf } from './head.ts';

interface Growth {
  /** Number of accepted containers; 0 if the index is empty. */
  readonly count: bigint;
  /** Time of the response, exporter's clock. */
  readonly at: number;
}

/** Oldest first; the newest is the last known head. */
export type GrowthRate = readonly Growth[];

/** Number of heads kept, and minimum seconds between two of them: they cover a minute at any poll interval. */
const kept = 7;
const apart = 10;

const countOf = (head: IndexHead): bigint | undefined => {
  const last = lastOf(head);
  return head.state === 'empty' ? 0n : last && last.index + 1n;
};

export const growthAfter = (before: GrowthRate, head: IndexHead, at: number): GrowthRate => {
  const count = countOf(head);
  if (count === undefined) return [];
  const newest = before.at(-1);
  // A lower count means another database. If the clock was set back, no rate can be computed.
  if (newest === undefined || count < newest.count || at <= newest.at) return [{ count, at }];
  const anchor = before.at(-2);
  const spaced = anchor !== undefined && newest.at - anchor.at < apart ? before.slice(0, -1) : before;
  return [...spaced, { count, at }].slice(-kept);
};

/** Undefined until two heads are known. */
export const containersPerSecond = (seen: GrowthRate): { readonly rate: number; readonly overSeconds: number } | undefined => {
  const [oldest] = seen;
  const newest = seen.at(-1);
  if (oldest === undefined || newest === undefined || newest.at <= oldest.at) return undefined;
  const overSeconds = newest.at - oldest.at;
  return { rate: Number(newest.count - oldest.count) / overSeconds, overSeconds };
};
