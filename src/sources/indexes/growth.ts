// How fast an index grows, read off its last heads: a few of them, far enough apart to measure by.

import type { IndexHead } from './head.ts';

interface Growth {
  /** Containers accepted by then; 0 in an empty index. */
  readonly count: bigint;
  /** When it was asked, exporter's clock. */
  readonly at: number;
}

/** Oldest first; the newest is the last head that was known. */
export type GrowthRate = readonly Growth[];

/** The heads kept, and the seconds between two of them at the least: a minute is covered however fast one polls. */
const kept = 7;
const apart = 10;

const countOf = (head: IndexHead): bigint | undefined => {
  if (head.state === 'empty') return 0n;
  return 'last' in head && head.last !== undefined ? head.last.index + 1n : undefined;
};

export const growthAfter = (before: GrowthRate, head: IndexHead, at: number): GrowthRate => {
  const count = countOf(head);
  if (count === undefined) return [];
  const newest = before.at(-1);
  // Fewer than before: another database. A clock set back: nothing to measure by.
  if (newest === undefined || count < newest.count || at <= newest.at) return [{ count, at }];
  const anchor = before.at(-2);
  const spaced = anchor !== undefined && newest.at - anchor.at < apart ? before.slice(0, -1) : before;
  return [...spaced, { count, at }].slice(-kept);
};

/** Absent until two heads were seen. */
export const containersPerSecond = (seen: GrowthRate): { readonly rate: number; readonly overSeconds: number } | undefined => {
  const [oldest] = seen;
  const newest = seen.at(-1);
  if (oldest === undefined || newest === undefined || newest.at <= oldest.at) return undefined;
  const overSeconds = newest.at - oldest.at;
  return { rate: Number(newest.count - oldest.count) / overSeconds, overSeconds };
};
