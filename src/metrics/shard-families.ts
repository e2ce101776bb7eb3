// Families of a shard: its number, the number of shards, and its share of the targets.

import { collect, type Family, flag, type Row } from './family.ts';

export interface ShardTally {
  readonly shard: number;
  readonly total: number;
  /** Name of the StatefulSet of the shards; empty if there is none. */
  readonly statefulSet: string;
  /** Watched targets of its own share. */
  readonly targets: number;
  /** Watched targets of other shards, until these are ready. */
  readonly handover: number;
  /** Targets of all shards together. */
  readonly fleet: number;
  /** Result of the last request for the StatefulSet; undefined without one. */
  readonly successful: boolean | undefined;
}

const statefulSet = ['statefulset'];

const infoRow: Row<ShardTally> = {
  name: 'snowgauge_shard_info',
  type: 'gauge',
  labels: ['statefulset', 'shard', 'total_shards'],
  unit: 'info',
  help: 'Always 1. Number of this shard, and number of shards. No sample without shards, or until the number is known.',
  source: 'the StatefulSet, or --shard',
  value: () => 1,
};

const rows: readonly Row<ShardTally>[] = [
  {
    name: 'snowgauge_shards',
    type: 'gauge',
    labels: statefulSet,
    unit: 'count',
    help: 'Number of shards, as known to this shard.',
    source: 'the StatefulSet, or --total-shards',
    value: ({ total }) => total,
  },
  {
    name: 'snowgauge_shard_targets',
    type: 'gauge',
    labels: statefulSet,
    unit: 'count',
    help: "Watched targets of this shard's share.",
    source: 'the hash of their names',
    value: ({ targets }) => targets,
  },
  {
    name: 'snowgauge_shard_handover_targets',
    type: 'gauge',
    labels: statefulSet,
    unit: 'count',
    help: 'Targets that this shard still watches until the shard that takes them over is ready.',
    source: 'the hash of their names',
    value: ({ handover }) => handover,
  },
  {
    name: 'snowgauge_shard_fleet_targets',
    type: 'gauge',
    labels: statefulSet,
    unit: 'count',
    help: 'Targets of all shards together, as known to this shard.',
    source: 'configuration and discovery',
    value: ({ fleet }) => fleet,
  },
  {
    name: 'snowgauge_shard_watch_successful',
    type: 'gauge',
    labels: statefulSet,
    unit: 'boolean',
    help: '1 if the StatefulSet of the shards is watched; 0 if not: this shard keeps the last known number of shards. No sample with --shard.',
    source: 'the API server',
    value: ({ successful }) => (successful === undefined ? undefined : flag(successful)),
  },
];

export const shardFamilies = (tally: ShardTally | undefined): readonly Family[] => {
  const all = tally === undefined ? [] : [tally];
  return [
    ...collect([infoRow], all, ({ statefulSet: name, shard, total }) => [name, String(shard), String(total)]),
    ...collect(rows, all, ({ statefulSet: name }) => [name]),
  ];
};

export const shardRows: readonly Row<ShardTally>[] = [infoRow, ...rows];
