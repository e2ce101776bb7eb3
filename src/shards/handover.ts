// Replicas of the shards' StatefulSet over time -> the numbers of shards that a shard uses to find its targets. Shards do not communicate to
// hand over a target: the previous owner keeps watching it until the new owner has been ready, or must have seen the change, for a while.

import { least } from '../lists.ts';

/** Maximum number of shards: each name is hashed for each of them. */
export const maxShards = 1000;

/** Previous numbers of shards that are remembered. */
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
  /** Number of shards that are watching. Less than `total` while a new one starts: owners by this number keep watching. */
  readonly settled: number;
  /** This shard started while another was not ready, so the others may use `total` already. */
  readonly isGuess?: true;
  /** Since when all shards have been ready. */
  readonly readySince?: number;
  /** Previous, larger numbers of shards: a shard that is removed keeps watching for a while, if it still runs. */
  readonly leaving: readonly { readonly total: number; readonly until: number }[];
}

/** For a fixed number of shards. */
export const fixed = (total: number): Handover => ({ total, settled: total, leaving: [] });

/** `wait`: a check interval, after which a shard that is ready, or has seen the change, has polled. Seconds, like `at`. */
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
 * A shard that starts does not know previous numbers. If one other shard is not ready, it may be a new one whose targets this shard watched:
 * it watches them until the other is ready. If more are not ready, all of them are starting, and none takes the targets of others.
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

/** When it next changes by time alone. */
export const changesAt = ({ readySince, leaving }: Handover, wait: number): number =>
  Math.min(least(leaving.map(({ until }) => until)), readySince === undefined ? Number.POSITIVE_INFINITY : readySince + wait);

/** A shard watches what it owns by any of these numbers of shards. */
export const watchedBy = ({ total, settled, leaving }: Handover): readonly number[] => [
  ...new Set([total, settled, ...leaving.map((one) => one.total)]),
];

/** The number of shards by which Prometheus finds owners: new owners are scraped when they are ready, while previous ones keep watching. */
export const scrapedBy = ({ total, settled, readySince }: Handover): number => (readySince === undefined ? settled : total);

/** The owners are unknown: Prometheus could be sent to shards that do not have the target. */
export const isUnsure = ({ isGuess, readySince }: Handover): boolean => isGuess === true && readySince === undefined;
