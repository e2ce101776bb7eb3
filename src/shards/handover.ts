// What the StatefulSet of the shards says over time -> by which numbers of shards a shard watches. A target that moves is handed over
// without a word between shards: who had it goes on until who gets it has been ready for a while, or until who gets it must have heard.

import { least } from '../lists.ts';

/** Most that there may be: each name is hashed for each of them. */
export const maxShards = 1000;

/** Numbers of before that still count, the last. */
const maxLeaving = 8;

export interface ShardReplicas {
  /** spec.replicas */
  readonly replicas: number;
  /** status.readyReplicas */
  readonly ready: number;
}

export interface Handover {
  /** Shards that there are to be: who is to watch follows from it. */
  readonly total: number;
  /** So many of them do watch. Fewer than `total` while a new one starts: the owners by this number go on. */
  readonly settled: number;
  /** It started while another one was not ready: the others may have settled on `total`. */
  readonly isGuess?: true;
  /** Since when all of `total` have been ready. */
  readonly readySince?: number;
  /** Numbers of before, when there were more: who ends goes on for a while, if it is let. */
  readonly leaving: readonly { readonly total: number; readonly until: number }[];
}

/** Of shards that nobody adds to or takes from. */
export const fixed = (total: number): Handover => ({ total, settled: total, leaving: [] });

/** `wait`: a check interval, after which whoever is ready, or has heard, has polled. Seconds, as `at`. */
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
 * One that starts knows nothing of before. Where one other is not ready, that may be a new one whose targets were watched here: they are
 * until it is. Where more are not ready all of them start, and none is to take what is meant for all.
 */
const first = (total: number, ready: number): Handover => {
  const isOneMissing = ready > 0 && ready === total - 2;
  return isOneMissing ? { ...fixed(total), settled: total - 1, isGuess: true } : fixed(total);
};

/** As it stands by then. */
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

/** When time alone changes it. */
export const changesAt = ({ readySince, leaving }: Handover, wait: number): number =>
  Math.min(least(leaving.map(({ until }) => until)), readySince === undefined ? Number.POSITIVE_INFINITY : readySince + wait);

/** A shard watches what it owns by any of these numbers of shards. */
export const watchedBy = ({ total, settled, leaving }: Handover): readonly number[] => [
  ...new Set([total, settled, ...leaving.map((one) => one.total)]),
];

/** By which number Prometheus finds who watches: who is ready takes over, and who had it goes on for the wait. */
export const scrapedBy = ({ total, settled, readySince }: Handover): number => (readySince === undefined ? settled : total);

/** Whether who watches what is not known: it would send Prometheus to shards that do not have the target. */
export const isUnsure = ({ isGuess, readySince }: Handover): boolean => isGuess === true && readySince === undefined;
