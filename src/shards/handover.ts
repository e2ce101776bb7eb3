// Computes the numbers of shards by which a shard finds its targets, from the replicas of the StatefulSet over time. If the number of
// shards changes, targets move to other shards. Shards do not communicate: the previous owner keeps watching a target until the new owner
// has been ready for a while, or until the new owner must have seen the change for a while.

import { least } from '../lists.ts';

/** Maximum number of shards: each name is hashed for each of them. */
export const maxShards = 1000;

/** Maximum number of previous numbers of shards that are remembered. */
const maxLeaving = 8;

export interface ShardReplicas {
  /** spec.replicas */
  readonly replicas: number;
  /** status.readyReplicas */
  readonly ready: number;
}

export interface Handover {
  /** Desired number of shards, which determines the new owners. */
  readonly total: number;
  /**
   * Number of shards that watch targets. While a new shard starts, it is less than `total`, and the owners by this number keep watching.
   */
  readonly settled: number;
  /** Only of a shard that started while others were not ready: it does not know the number that others may remember as `settled`. */
  readonly guess?: Guess;
  /** Time at which all shards became ready, in seconds. Only set while `settled` is less than `total`. */
  readonly readySince?: number;
  /** Previous, larger numbers of shards. A removed shard that still runs keeps watching by them until the time `until`. */
  readonly leaving: readonly { readonly total: number; readonly until: number }[];
}

interface Guess {
  /** Number of shards that are ready. */
  readonly ready: number;
  /** No other shard was ready at some time, so no other one remembers a number. */
  readonly isFirst: boolean;
  /** Time at which `settled` becomes `ready`; Infinity if that is done. */
  readonly dueAt: number;
}

/** The handover if the number of shards never changes. */
export const fixed = (total: number): Handover => ({ total, settled: total, leaving: [] });

/**
 * The handover after an update of the StatefulSet. `at`: time in seconds. `wait`: a check interval in seconds. In this time, a shard that
 * is ready, or has seen the change, polls its targets.
 */
export const heard = (
  before: Handover | undefined,
  { replicas: total, ready }: ShardReplicas,
  at: number,
  wait: number,
): Handover => {
  if (before === undefined) return first(total, ready, at + wait);
  const { settled, readySince, leaving, guess } = handoverAt(before, at, wait);
  const ended = [...leaving.filter((one) => one.total !== before.total), { total: before.total, until: at + wait }];
  const since = total === before.total ? (readySince ?? at) : at;
  const isReady = areReady(total, ready);
  const isSame = total === before.total && ready === guess?.ready;
  const due = guess?.dueAt ?? never;
  const dueAt = isReady ? never : isSame ? due : Math.min(due, at + wait);
  return {
    total,
    settled: Math.min(settled, total),
    leaving: total < before.total ? ended.slice(-maxLeaving) : leaving,
    ...(guess && !(isReady && settled >= total) && { guess: { ready, isFirst: guess.isFirst || ready === 0, dueAt } }),
    ...(ready >= total && settled < total && { readySince: since }),
  };
};

const never = Number.POSITIVE_INFINITY;

/** A single shard owns everything, ready or not. */
const areReady = (total: number, ready: number): boolean => Math.max(1, ready) >= total;

/**
 * The handover of a shard that starts. It does not know previous numbers of shards. The shards that are not ready may be new ones, whose
 * targets it owned before. So it also takes its share of the ready shards and itself, at once if that is at most twice its own share. Else
 * all may be starting together: then it waits for a check interval. `ready` may still count its own pod from before the restart, and does
 * not count it while it starts.
 */
const first = (total: number, ready: number, dueAt: number): Handover => {
  if (areReady(total, ready)) return fixed(total);
  const settled = (ready + 1) * 2 >= total ? ready + 1 : total;
  return { ...fixed(total), settled, guess: { ready, isFirst: ready === 0, dueAt } };
};

/** The handover at that time. */
export const handoverAt = ({ total, settled, readySince, leaving, guess }: Handover, at: number, wait: number): Handover => {
  const isSettled = readySince !== undefined && at >= readySince + wait;
  const isDue = guess !== undefined && at >= guess.dueAt;
  return {
    total,
    settled: isSettled ? total : isDue ? Math.min(total, Math.max(1, guess.ready)) : settled,
    leaving: leaving.filter(({ until }) => until > at),
    ...(guess && !isSettled && { guess: isDue ? { ...guess, dueAt: never } : guess }),
    ...(readySince !== undefined && !isSettled && { readySince }),
  };
};

/** Time of the next change without an update of the StatefulSet, in seconds; Infinity if there is none. */
export const changesAt = ({ readySince = never, leaving, guess }: Handover, wait: number): number =>
  Math.min(least(leaving.map(({ until }) => until)), readySince + wait, guess?.dueAt ?? never);

/** If it is guessed, a shard before this one may be missing instead of one after it: then this one counts as the last of the ready ones. */
const settledFor = (shard: number, { total, settled }: Handover): number => Math.min(total, Math.max(settled, shard + 1));

/** Numbers of shards. The shard watches a target if it is the owner by any of these numbers. */
export const watchedBy = (shard: number, handover: Handover): readonly number[] => [
  ...new Set([handover.total, settledFor(shard, handover), ...handover.leaving.map((one) => one.total)]),
];

/**
 * The number of shards by which Prometheus finds owners. New owners are scraped as soon as all shards are ready, while previous owners keep
 * watching.
 */
export const scrapedBy = (shard: number, handover: Handover): number =>
  handover.readySince === undefined ? settledFor(shard, handover) : handover.total;

/**
 * Whether the owners are unknown. Prometheus could then be sent to shards that do not have the target. If no shard remembers a previous
 * number, all guess the same one, after a check interval.
 */
export const isUnsure = ({ guess, readySince }: Handover): boolean =>
  guess !== undefined && readySince === undefined && !(guess.isFirst && guess.dueAt === never);
