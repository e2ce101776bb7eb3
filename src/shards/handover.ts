// Computes the numbers of shards by which a shard finds its targets, from the replicas of the StatefulSet over time. If the number of
// shards changes, targets move to other shards. Shards do not communicate: a new owner begins to watch a target when all shards are ready,
// and the previous owner stops a while after it has seen that, or after it has seen that there are fewer shards.

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
   * Number of shards when all were last ready for a while (`keptFor`), at most `total`: the same on all shards that have run since then.
   * Undefined if they have not all been ready for that long since this shard started.
   */
  readonly settled: number | undefined;
  /** While a new shard starts, and until all have been ready for a while, it is less than `total`, and the owners by it keep watching. */
  readonly kept: number;
  /** Only of a shard that started while others were not ready: it does not know the number that others may remember as `kept`. */
  readonly guess?: Guess;
  /** Time at which all shards became ready, in seconds. Only set until that is a while ago. */
  readonly readySince?: number;
  /** Previous, larger numbers of shards. A removed shard that still runs keeps watching by them until the time `until`. */
  readonly leaving: readonly { readonly total: number; readonly until: number }[];
}

interface Guess {
  /** Number of shards that are ready. */
  readonly ready: number;
  /** No shard was ready when this one started, so none remembers a number. */
  readonly isFirst: boolean;
  /**
   * It may be new, so that its targets are still watched by their previous owners. It watches none until all shards are ready, or until
   * `dueAt`: if it has restarted instead, nobody watches them.
   */
  readonly isHeld: boolean;
  /** Time at which `kept` becomes `ready`; Infinity if that is done. */
  readonly dueAt: number;
}

/** Seconds by which one shard may see an update later than another one. */
const maxLag = 5;

/**
 * Seconds for which a previous owner keeps watching after an update. The new owner watches since it has seen the update, so that both do
 * for at most a check interval (`interval`, in seconds), in which the new owner polls all its targets.
 */
const keptFor = (interval: number): number => interval - Math.min(maxLag, interval / 3);

/** The handover if the number of shards never changes. */
export const fixed = (total: number): Handover => ({ total, settled: total, kept: total, leaving: [] });

/** The handover of this shard after an update of the StatefulSet. `at`: time in seconds. */
export const heard = (
  before: Handover | undefined,
  { replicas: total, ready }: ShardReplicas,
  { shard, at, interval }: { readonly shard: number; readonly at: number; readonly interval: number },
): Handover => {
  if (before === undefined) return first(shard, { replicas: total, ready }, at + interval);
  const { settled, readySince, leaving, guess, ...was } = handoverAt(before, at, interval);
  const ended = [...leaving.filter((one) => one.total !== was.total), { total: was.total, until: at + keptFor(interval) }];
  const since = total === was.total ? (readySince ?? at) : at;
  const isReady = ready >= total;
  const isSame = total === was.total && ready === guess?.ready;
  const due = guess?.dueAt ?? never;
  const dueAt = isReady ? never : isSame ? due : Math.min(due, at + interval);
  const isHeld = guess?.isHeld === true;
  // Nobody relies on a shard that has watched nothing so far: if all are ready, each watches its own share.
  const kept = isHeld && isReady ? total : Math.min(was.kept, total);
  return {
    total,
    settled: settled && Math.min(settled, total),
    kept,
    leaving: total < was.total && !isHeld ? ended.slice(-maxLeaving) : leaving,
    ...(guess && !(isReady && kept >= total) && { guess: { ...guess, ready, dueAt } }),
    ...(isReady && (kept < total || settled !== total) && { readySince: since }),
  };
};

const never = Number.POSITIVE_INFINITY;

/**
 * The handover of a shard that starts. It does not know previous numbers of shards. The shards that are not ready may be new ones, whose
 * targets it owned before. So it also takes its share of the ready shards and itself, at once if that is at most twice its own share. Else
 * all may be starting together: then it waits for a check interval. If as many shards as there are before it are ready, it may be a new one
 * itself. `ready` may still count its own pod from before the restart, and does not count it while it starts.
 */
const first = (shard: number, { replicas: total, ready }: ShardReplicas, dueAt: number): Handover => {
  if (ready >= total) return fixed(total);
  const kept = (ready + 1) * 2 >= total ? ready + 1 : total;
  const isHeld = ready > 0 && ready <= shard;
  return { total, settled: undefined, kept, leaving: [], guess: { ready, isFirst: ready === 0, isHeld, dueAt } };
};

/** The handover at that time. */
export const handoverAt = (
  { total, settled, kept, readySince, leaving, guess }: Handover,
  at: number,
  interval: number,
): Handover => {
  const isOver = readySince !== undefined && at >= readySince + keptFor(interval);
  const isDue = guess !== undefined && at >= guess.dueAt;
  return {
    total,
    settled: isOver ? total : settled,
    // Shards that are not ready may still watch: with none ready, it keeps its last guess.
    kept: isOver ? total : isDue && guess.ready > 0 ? guess.ready : kept,
    leaving: leaving.filter(({ until }) => until > at),
    ...(guess && !isOver && { guess: isDue ? { ...guess, isHeld: false, dueAt: never } : guess }),
    ...(readySince !== undefined && !isOver && { readySince }),
  };
};

/** Time of the next change without an update of the StatefulSet, in seconds; Infinity if there is none. */
export const changesAt = ({ readySince = never, leaving, guess }: Handover, interval: number): number =>
  Math.min(least(leaving.map(({ until }) => until)), readySince + keptFor(interval), guess?.dueAt ?? never);

/**
 * Numbers of shards. The shard watches a target if it is the owner by any of these numbers. If `kept` is guessed, a shard before this one
 * may be missing instead of one after it: then this one counts as the last of the ready ones.
 */
export const watchedBy = (shard: number, { total, kept, leaving, guess }: Handover): readonly number[] =>
  guess?.isHeld === true
    ? []
    : [...new Set([total, Math.min(total, Math.max(kept, shard + 1)), ...leaving.map((one) => one.total)])];

/**
 * The number of shards by which Prometheus finds owners, the same on all shards that are not unsure. New owners are scraped as soon as all
 * shards are ready, while previous owners keep watching, and the previous ones again if a new owner stops meanwhile.
 */
export const scrapedBy = ({ total, settled = total, readySince }: Handover): number =>
  readySince === undefined ? settled : total;

/** Whether the owners are unknown: others may remember a number. Prometheus could then be sent to shards that do not have the target. */
export const isUnsure = ({ settled, readySince, guess }: Handover): boolean =>
  settled === undefined && readySince === undefined && guess?.isFirst !== true;
