// The number of this shard, the number of shards, and the targets that it watches.

import { isDeepStrictEqual } from 'node:util';
import { createFailureLog } from '../failure-log.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { FollowPace } from '../kubernetes/follow.ts';
import type { Log } from '../log.ts';
import { notTooOften, timerMs } from '../pause.ts';
import { changesAt, fixed, type Handover, handoverAt, heard, scrapedBy, watchedBy } from './handover.ts';
import { createOwners } from './owners.ts';
import { type SetName, type SetUpdate, type StatefulSet, watchStatefulSet } from './stateful-set.ts';

export type ShardSetting =
  | { readonly kind: 'fixed'; readonly shard: number; readonly total: number }
  /** The name of the pod consists of the name of its StatefulSet and `ordinal`. */
  | { readonly kind: 'pod'; readonly set: SetName; readonly ordinal: number };

/** A new object whenever something in it has changed. */
export interface ShardStatus {
  readonly shard: number;
  /** Undefined until it is known. */
  readonly handover?: Handover;
  readonly statefulSet?: SetName & Partial<Pick<StatefulSet, 'service' | 'start'>>;
  /** Result of the last request for the StatefulSet; undefined before the first one, or without a StatefulSet. */
  readonly successful?: boolean;
  readonly reason?: string;
}

export interface Shards {
  readonly status: () => ShardStatus;
  /** Whether this shard watches the target now. */
  readonly isOwn: (name: string) => boolean;
  /** Whether this shard will still watch the target when the handover is complete. */
  readonly isToStay: (name: string) => boolean;
  /** The number of the shard to request the target from; undefined if it is not known. */
  readonly ownerOf: (name: string) => number | undefined;
  /** Drops cached owners of all other names. */
  readonly keep: (names: ReadonlySet<string>) => void;
  /** Resolves after the signal. */
  readonly finished: Promise<void>;
}

interface ShardsDependencies {
  readonly cluster: Cluster;
  /** Steady clock, seconds. */
  readonly now: () => number;
  /** A check interval of the slowest target, seconds. */
  readonly interval: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when the targets of this shard may have changed. */
  readonly changed: () => void;
  readonly pace: FollowPace;
}

export const createShards = (setting: ShardSetting, dependencies: ShardsDependencies): Shards => {
  const { cluster, now, interval, log, signal, changed, pace } = dependencies;
  const owners = createOwners();
  let status: ShardStatus =
    setting.kind === 'fixed'
      ? { shard: setting.shard, handover: fixed(setting.total) }
      : { shard: setting.ordinal, statefulSet: setting.set };
  const failureLog = createFailureLog(now);
  let timer: NodeJS.Timeout | undefined;
  const become = (next: ShardStatus): void => {
    if (!isDeepStrictEqual(status, next)) status = next;
  };

  const arm = (): void => {
    clearTimeout(timer);
    const at = status.handover === undefined ? Number.POSITIVE_INFINITY : changesAt(status.handover, interval());
    if (!signal.aborted && Number.isFinite(at)) timer = setTimeout(pass, timerMs(at - now()) + 1);
  };
  const take = (handover: Handover): void => {
    become({ ...status, handover });
    arm();
    tell();
  };
  /** What was last logged, and the numbers of shards by which this shard has last found its targets. */
  let told = { text: '', watched: '' };
  // Rate-limited, so that frequent scaling does not flood the log or redistribute targets each time. Every update counts nevertheless: one
  // that all shards are ready may be followed at once by one that the next is not, as in a rolling update.
  const tell = notTooOften(pace.retryMs, () => {
    const { shard, handover } = status;
    if (signal.aborted || handover === undefined) return;
    const fields = { shard, totalShards: handover.total, settledShards: handover.kept };
    const next = { text: JSON.stringify(fields), watched: JSON.stringify(watchedBy(shard, handover)) };
    const before = told;
    told = next;
    if (next.text !== before.text) log.info(fields, 'shards changed');
    if (next.text !== before.text || next.watched !== before.watched) changed();
  });
  /** Updates the handover after time has passed. */
  const pass = (): void => {
    if (status.handover !== undefined) take(handoverAt(status.handover, now(), interval()));
  };
  const update = ({ set, reason, isFirst }: SetUpdate): void => {
    if (setting.kind === 'fixed' || signal.aborted) return;
    const { reason: _, shard: was, ...rest } = status;
    if (reason === undefined && failureLog.reset()) log.info({ ...setting.set }, 'StatefulSet watched again');
    const faults = reason === undefined ? [] : [{ reason, isRepeated: isFirst !== true }];
    if (failureLog.toLog(faults).length > 0)
      log.warn(
        { ...setting.set, reason, totalShards: status.handover?.total },
        'StatefulSet not watched, keeping the last known number of shards',
      );
    const shard = set === undefined ? was : setting.ordinal - set.start;
    const known = set && { statefulSet: { ...setting.set, service: set.service, start: set.start } };
    become({ ...rest, shard, ...known, successful: reason === undefined, ...(reason !== undefined && { reason }) });
    if (set !== undefined) take(heard(status.handover, set, { shard, at: now(), interval: interval() }));
  };

  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const finished = setting.kind === 'fixed' ? Promise.resolve() : watchStatefulSet(setting.set, cluster, update, pace, signal);
  const owns = (name: string, total: number): boolean => owners.ownerOf(name, total) === status.shard;
  return {
    status: () => status,
    isOwn: (name) => status.handover !== undefined && watchedBy(status.shard, status.handover).some((total) => owns(name, total)),
    isToStay: (name) => status.handover !== undefined && owns(name, status.handover.total),
    ownerOf: (name) => (status.handover === undefined ? undefined : owners.ownerOf(name, scrapedBy(status.handover))),
    keep: owners.keep,
    finished,
  };
};
