// Which shard watches which targets: for /api/v1/shards, /api/v1/sd, and requests to the wrong shard.

import type { Targets } from '../conditions/condition.ts';
import { unknownName } from '../text.ts';

export interface FleetShards {
  readonly shard: number;
  /** Undefined until it is known. */
  readonly total: number | undefined;
  /** Number of shards that share the targets in `ownerOf`; less than `total` while a new one starts. Undefined if unknown. */
  readonly settled: number | undefined;
  readonly statefulSet?: { readonly namespace: string; readonly name: string };
  /** Why this shard is not ready. */
  readonly waitsFor?: string;
  /** Not all shards have been ready since this one started: it is unknown which shard watches which target. */
  readonly isUnsure?: boolean;
  /** Host and port of a shard; undefined if unknown. */
  readonly addressOf: (shard: number) => string | undefined;
  /** The shard that watches a target of the fleet; undefined if unknown. */
  readonly ownerOf: (name: string) => number | undefined;
  /** The targets of all shards. */
  readonly targets: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
}

/** `names`: the targets of each shard, in the order of the fleet. */
export interface ShardView extends Pick<FleetShards, 'shard' | 'total' | 'settled' | 'statefulSet' | 'waitsFor'> {
  readonly shards: readonly { readonly shard: number; readonly address?: string; readonly targets: readonly string[] }[];
}

export const shardView = ({ shard, total, settled, statefulSet, waitsFor, ...fleet }: FleetShards): ShardView => {
  const names = Array.from({ length: total ?? 0 }, (): string[] => []);
  for (const { name } of fleet.targets) names[fleet.ownerOf(name) ?? -1]?.push(name);
  return {
    shard,
    total,
    settled,
    ...(statefulSet !== undefined && { statefulSet }),
    ...(waitsFor !== undefined && { waitsFor }),
    shards: names.map((targets, at) => {
      const address = fleet.addressOf(at);
      return { shard: at, ...(address !== undefined && { address }), targets };
    }),
  };
};

/** Why there is no such target here. */
export const missingTarget = (name: string, targets: Targets, fleet: FleetShards | undefined): string =>
  elsewhere(fleet, name) ?? unknownName('target', name, [...targets.keys()]);

/** A message about which shard has a target that is not here; undefined if none has. */
export const elsewhere = (fleet: FleetShards | undefined, name: string): string | undefined => {
  if (fleet === undefined || !fleet.targets.some((one) => one.name === name)) return undefined;
  const owner = fleet.ownerOf(name);
  if (owner === undefined || fleet.isUnsure === true) return `the shard that watches ${name} is not known yet`;
  const address = fleet.addressOf(owner);
  return `shard ${owner} watches ${name}${address === undefined ? '' : `, at ${address}`}`;
};
