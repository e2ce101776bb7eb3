// One shard of several, for the exporter and its server: its share, the owners of the other targets, and whether it is ready to watch.

import type { Cluster } from '../kubernetes/exchange.ts';
import { defaultPace, type FollowPace } from '../kubernetes/follow.ts';
import type { Log } from '../log.ts';
import type { ShardTally } from '../metrics/shard-families.ts';
import type { FleetShards } from '../server/shards.ts';
import { isUnsure, scrapedBy } from '../shards/handover.ts';
import { createShards, type ShardSetting, type ShardStatus, type Shards } from '../shards/shards.ts';
import type { NamedTarget } from './discovered.ts';

interface Given {
  readonly setting: ShardSetting;
  readonly listen: { readonly port: number; readonly externalAddress?: string };
  readonly cluster: Cluster;
  readonly pace?: ShardPace | undefined;
}

export interface ShardPace extends FollowPace {
  /** Maximum seconds to wait for the number of shards. */
  readonly patience: number;
}

interface Dependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Targets of all shards. A new list with each change. */
  readonly all: () => readonly NamedTarget[];
  /** Maximum check interval of all targets, in seconds. */
  readonly longestInterval: () => number;
  /** Which first lists of discovery are missing. */
  readonly lists: () => string | null | undefined;
  /** Number of targets that this process watches. */
  readonly watched: () => number;
  /** Called when the targets of this shard have changed. */
  readonly changed: () => void;
  /** Called if the number of shards is not known in time: the process cannot be a shard. */
  readonly failed: () => void;
}

export interface Sharding {
  readonly share: Shards;
  readonly fleet: () => FleetShards;
  /** A new object with each change. Undefined until the number of shards is known. */
  readonly tally: () => ShardTally | undefined;
  readonly fault: () => string | undefined;
  readonly finished: Promise<void>;
}

/**
 * The watch of the StatefulSet is renewed often: of a connection that dies without a word, a shard would learn the number of shards late, and
 * targets would be watched by no shard or by two.
 */
const usual: ShardPace = { ...defaultPace, deadlineMs: 10_000, watchSeconds: 30, patience: 60 };

export const shardingOf = ({ setting, listen, cluster, pace = usual }: Given, dependencies: Dependencies): Sharding => {
  const { now, log, signal, all, longestInterval, lists, watched, changed, failed } = dependencies;
  const { patience } = pace;
  const share = createShards(setting, { cluster, now, interval: longestInterval, log, signal, changed, pace });
  const { status, ownerOf } = share;

  const waitsFor = (): string | undefined => {
    const { handover, statefulSet, reason } = status();
    if (handover === undefined)
      return `waiting for StatefulSet ${statefulSet?.namespace}/${statefulSet?.name}${reason === undefined ? '' : `: ${reason}`}`;
    return lists() ?? undefined;
  };
  let fault: string | undefined;
  const late = setTimeout(() => {
    if (status().handover !== undefined) return;
    fault = `no number of shards within ${patience} s: ${waitsFor()}`;
    log.error({}, fault);
    failed();
  }, patience * 1000);
  if (signal.aborted) clearTimeout(late);
  else signal.addEventListener('abort', () => clearTimeout(late), { once: true });

  const targets = kept(all, (given) => {
    share.keep(new Set(given.map(({ name }) => name)));
    return given;
  });
  const addressOf = (shard: number): string | undefined => {
    if (listen.externalAddress !== undefined) return addressFrom(listen.externalAddress, shard, status());
    const { statefulSet: set } = status();
    if (set?.service === undefined || set.service === '') return undefined;
    return `${set.name}-${(set.start ?? 0) + shard}.${set.service}.${set.namespace}.svc:${listen.port}`;
  };
  let known: { readonly of: readonly unknown[]; readonly tally: ShardTally } | undefined;
  return {
    share,
    fleet: () => {
      const { shard, handover, statefulSet } = status();
      const reason = waitsFor();
      const unsure = handover !== undefined && isUnsure(handover);
      return {
        shard,
        total: handover?.total,
        settled: handover && !unsure ? scrapedBy(handover) : undefined,
        ...(statefulSet && { statefulSet: { namespace: statefulSet.namespace, name: statefulSet.name } }),
        ...(reason !== undefined && { waitsFor: reason }),
        isUnsure: unsure,
        addressOf,
        ownerOf,
        targets: targets(),
      };
    },
    tally: () => {
      const { shard, handover, statefulSet, successful } = status();
      if (handover === undefined) return undefined;
      const of = [status(), all(), watched()];
      if (known === undefined || known.of.some((one, at) => one !== of[at])) {
        const own = all().filter(({ name }) => share.isOwn(name));
        const handovers = own.filter(({ name }) => !share.isToStay(name)).length;
        const tally = { shard, total: handover.total, statefulSet: statefulSet?.name ?? '', fleet: all().length, successful };
        known = { of, tally: { ...tally, targets: watched() - handovers, handover: handovers } };
      }
      return known.tally;
    },
    fault: () => fault,
    finished: share.finished,
  };
};

/** An address without {shard} is only valid for this process. */
const addressFrom = (address: string, shard: number, own: ShardStatus): string | undefined => {
  if (address.includes('{shard}')) return address.replace('{shard}', String(shard));
  return shard === own.shard ? address : undefined;
};

const kept = <Of, To>(of: () => Of, make: (of: Of) => To): (() => To) => {
  let last: { readonly of: Of; readonly made: To } | undefined;
  return () => {
    const now = of();
    if (last?.of !== now) last = { of: now, made: make(now) };
    return last.made;
  };
};
