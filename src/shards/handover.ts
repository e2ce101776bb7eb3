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
  /** `settled` is a guess: this shard started while another one was not ready, so the others may use `total` already. */
  readonly isGuess?: true;
  /** Time at which all shards became ready, in seconds. Only set while `settled` is less than `total`. */
  readonly readySince?: number;
  /** Previous, larger numbers of shards. A removed shard that still runs keeps watching by them until the time `until`. */
  readonly leaving: readonly { readonly total: number; readonly until: number }[];
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
  if (before === undefined) return first(total, ready);
  const { settled, readySince, leaving, isGuess } = handoverAt(before, at, wait);
  const ended = [...leaving.filter((one) => one.total !== before.total), { total: before.total, until: at + wait }];
  const since = total === before.total ? (readySince ?? at) : at;
  return {
    total,
    settled: Math.min(settled, total),
    leaving: total < before.total ? ended.slice(-maxLeaving) : leaving,
    ...(isGuess && settled < total && { isGuess }),
    ...(ready >= total && settled < total && { readySince: since }),
  };
};

/**
 * The handover of a shard that starts. It does not know previous numbers of shards. If exactly one other shard is not ready, that may be a
 * new shard, and this shard may have watched its targets before. So this shard watches them until the other one is ready. If more shards
 * are not ready, all of them are starting, and none watches the targets of others.
 */
const first = (total: number, ready: number): Handover => {
  const isOneMissing = ready > 0 && ready === total - 2;
  return isOneMissing ? { ...fixed(total), settled: total - 1, isGuess: true } : fixed(total);
};

/** The handover at that time. */
export const handoverAt = ({ total, settled, readySince, leaving, isGuess }: Handover, at: number, wait: number): Handover => {
  const isSettled = readySince !== undefined && at >= readySince + wait;
  return {
    total,
    settled: isSettled ? total : settled,
    leaving: leaving.filter(({ until }) => until > at),
    ...(isGuess && !isSettled && { isGuess }),
    ...(readySince !== undefined && !isSettled && { readySince }),
  };
};

/** Time of the next change without an update of the StatefulSet, in seconds; Infinity if there is none. */
export const changesAt = ({ readySince, leaving }: Handover, wait: number): number =>
  Math.min(least(leaving.map(({ until }) => until)), readySince === undefined ? Number.POSITIVE_INFINITY : readySince + wait);

/** Numbers of shards. A shard watches a target if it is the owner by any of these numbers. */
export const watchedBy = ({ total, settled, leaving }: Handover): readonly number[] => [
  ...new Set([total, settled, ...leaving.map((one) => one.total)]),
];

/**
 * The number of shards by which Prometheus finds owners. New owners are scraped as soon as all shards are ready, while previous owners keep
 * watching.
 */
export const scrapedBy = ({ total, settled, readySince }: Handover): number => (readySince === undefined ? settled : total);

/** Whether the owners are unknown. Prometheus could then be sent to shards that do not have the target. */
export const isUnsure = ({ isGuess, readySince }: Handover): boolean => isGuess === true && readySince === undefined;
