// One shard of several, as the exporter and its server see it: its share, who watches the rest, and whether it watches already.

import type { Cluster } from '../kubernetes/exchange.ts';
import { defaultPace, type FollowPace } from '../kubernetes/follow.ts';
import type { Log } from '../log.ts';
import type { ShardTally } from '../metrics/shard-families.ts';
import type { FleetShards } from '../server/shards.ts';
import { isUnsure } from '../shards/handover.ts';
import { createShards, type ShardSetting, type ShardStatus, type Shards } from '../shards/shards.ts';
import type { NamedTarget } from './discovered.ts';

interface Given {
  readonly setting: ShardSetting;
  readonly listen: { readonly port: number; readonly externalAddress?: string };
  readonly cluster: Cluster;
  readonly pace?: ShardPace | undefined;
}

export interface ShardPace extends FollowPace {
  /** Seconds for which a shard may wait for the number of shards. */
  readonly patience: number;
}

interface Dependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The targets of all shards; another list when it is another. */
  readonly all: () => readonly NamedTarget[];
  /** Of all of them, seconds. */
  readonly longestInterval: () => number;
  /** Which first lists of discovery are missing. */
  readonly lists: () => string | null | undefined;
  /** How many are watched here. */
  readonly watched: () => number;
  /** Other targets are for this shard than before. */
  readonly changed: () => void;
  /** It cannot be a shard: its number of shards has not become known in time. */
  readonly failed: () => void;
}

export interface Sharding {
  readonly share: Shards;
  readonly fleet: () => FleetShards;
  /** Another object when anything of it changed; undefined until the number of shards is known. */
  readonly tally: () => ShardTally | undefined;
  readonly fault: () => string | undefined;
  readonly finished: Promise<void>;
}

const usual: ShardPace = { ...defaultPace, patience: 60 };

export const shardingOf = ({ setting, listen, cluster, pace = usual }: Given, dependencies: Dependencies): Sharding => {
  const { now, log, signal, all, longestInterval, lists, watched, changed, failed } = dependencies;
  const { patience } = pace;
  const share = createShards(setting, { cluster, now, wait: longestInterval, log, signal, changed, pace });
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
  signal.addEventListener('abort', () => clearTimeout(late), { once: true });

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
      return {
        shard,
        total: handover?.total,
        settled: handover?.settled,
        ...(statefulSet && { statefulSet: { namespace: statefulSet.namespace, name: statefulSet.name } }),
        ...(reason !== undefined && { waitsFor: reason }),
        isUnsure: handover !== undefined && isUnsure(handover),
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

/** An address without a place for the number is that of this process alone. */
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
