// Cases of the alerts on shards.

import type { Fires, Quiet } from './case.ts';
import { beginning, hold, inTurn, losing, type Series, scraped, until, well, where } from './series.ts';
import { all, fleetPod } from './world-parts.ts';

interface ShardSeries {
  /** Values of the number of shards, the watched targets and the targets of all shards. */
  readonly total?: string;
  readonly targets?: string;
  readonly fleet?: string;
  readonly watched?: string;
  readonly handover?: string;
}

/** The series of a shard besides those of its targets. */
const shard = (at: number, steps: number, given: ShardSeries = {}, set = 'fleet'): Series => {
  const {
    total = hold(2, steps),
    targets = hold(5, steps),
    fleet = hold(10, steps),
    watched = hold(1, steps),
    handover = hold(0, steps),
  } = given;
  const own = `statefulset="${set}"`;
  return scraped(
    {
      up: hold(1, steps),
      'snowgauge_build_info{version="0.1.0"}': hold(1, steps),
      [`snowgauge_shard_info{${own},shard="${at}",total_shards="2"}`]: hold(1, steps),
      [`snowgauge_shards{${own}}`]: total,
      [`snowgauge_shard_targets{${own}}`]: targets,
      [`snowgauge_shard_fleet_targets{${own}}`]: fleet,
      [`snowgauge_shard_handover_targets{${own}}`]: handover,
      [`snowgauge_shard_watch_successful{${own}}`]: watched,
    },
    fleetPod(`${set}-${at}`, `10.0.${set.length}.${at + 1}:9652`),
  );
};

const labels = { target: undefined, pod: undefined, job: 'snowgauge', statefulset: 'fleet' };
const steps = 40;
const disagree: Pick<Fires, 'alert' | 'steps' | 'labels' | 'summary' | 'description'> = {
  alert: 'SnowgaugeShardsDisagree',
  steps,
  labels,
  summary: 'Shards of fleet in avalanche disagree on the assignment of targets.',
  description:
    'Shards of fleet in avalanche disagree on the number of shards or on the list of targets, or one of them does not become ready: some targets may be watched by no shard, or by two.',
};

export const shardFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeShardMissing',
    title: 'the second of two shards was never scraped',
    series: shard(0, steps),
    steps,
    at: 10,
    labels,
    summary: 'Shards of fleet in avalanche are missing: 1.',
    description:
      '1 shard of fleet in avalanche is not scraped, or does not know the number of shards. The targets of a shard that stopped are not watched by any other shard; the targets of a new shard stay with their previous owner until it is ready.',
  },
  {
    alert: 'SnowgaugeShardMissing',
    title: 'the second of two shards was never scraped, and of the first one scrape in nine is lost',
    series: losing(shard(0, steps), (step) => step % 9 === 8),
    steps,
    at: 10,
    labels,
    summary: 'Shards of fleet in avalanche are missing: 1.',
    description:
      '1 shard of fleet in avalanche is not scraped, or does not know the number of shards. The targets of a shard that stopped are not watched by any other shard; the targets of a new shard stay with their previous owner until it is ready.',
  },
  {
    ...disagree,
    title: 'one shard knows of a third, and the other does not',
    series: all(shard(0, steps), shard(1, steps, { total: hold(3, steps) })),
    at: 15,
  },
  {
    ...disagree,
    title: 'two targets are not watched',
    series: all(shard(0, steps), shard(1, steps, { targets: hold(3, steps) })),
    at: 15,
  },
  {
    ...disagree,
    title: 'two targets are not watched, and scrapes of one shard are lost occasionally',
    series: all(
      losing(shard(0, steps), (step) => step % 9 === 4),
      losing(shard(1, steps, { targets: hold(3, steps) }), (step) => step % 9 === 8),
    ),
    at: 15,
  },
  {
    ...disagree,
    title: 'a target is watched by two shards',
    series: all(shard(0, steps), shard(1, steps, { targets: hold(6, steps) })),
    at: 15,
  },
  {
    ...disagree,
    title: 'a new shard is scraped and never ready, so the previous shards keep its targets',
    series: all(shard(0, steps, { handover: hold(5, steps) }), shard(1, steps)),
    at: 15,
  },
  {
    alert: 'SnowgaugeShardWatchFailing',
    title: 'the API server refuses',
    series: all(shard(0, steps), shard(1, steps, { watched: inTurn(hold(1, 5), hold(0, 35)) })),
    steps,
    at: 15,
    labels: { target: undefined, pod: 'fleet-1' },
    summary: 'Shard fleet-1 cannot watch its StatefulSet.',
    description:
      'Shard fleet-1 cannot watch its StatefulSet, and keeps the last known number of shards. Once the StatefulSet is scaled, some targets are watched by no shard, or by two; after a restart the shard does not become ready.',
  },
];

const both = all(shard(0, steps), shard(1, steps));
/** Each of a pair of StatefulSets watches all targets. */
const pair = all(both, shard(0, steps, {}, 'fleet-b'), shard(1, steps, {}, 'fleet-b'));
/** Stored by each of a pair of Prometheus servers. */
const twice = (series: Series): Series =>
  all(
    ...['a', 'b'].map((replica) =>
      Object.fromEntries(
        Object.entries(series).map(([name, values]) => [name.replace('{', `{prometheus_replica="${replica}",`), values]),
      ),
    ),
  );
/** Five shards, each replaced in turn by one at another address. */
const rolled = all(
  ...[0, 1, 2, 3, 4].map((at) => {
    const five = (many: number): Series => shard(at, many, { total: hold(5, many), targets: hold(2, many) });
    const stops = 6 + 5 * at;
    const again = beginning(five(steps - stops - 2), stops + 2);
    return all(
      until(five(stops), stops),
      Object.fromEntries(Object.entries(again).map(([name, values]) => [name.replace('10.0.5.', '10.0.6.'), values])),
    );
  }),
);
const growing = all(
  shard(0, steps, {
    total: inTurn(hold(1, 10), hold(2, 30)),
    targets: inTurn(hold(10, 10), hold(5, 30)),
    handover: inTurn(hold(0, 10), hold(5, 12), hold(0, 18)),
  }),
  shard(1, steps, { total: inTurn(hold('_', 17), hold(2, 23)), targets: inTurn(hold('_', 17), hold(5, 23)) }),
);

export const shardQuiet: readonly Quiet[] = [
  { alert: 'SnowgaugeShardMissing', title: 'all shards are scraped', series: both, steps },
  { alert: 'SnowgaugeShardMissing', title: 'the second starts within 7 minutes', series: growing, steps },
  { alert: 'SnowgaugeShardMissing', title: 'an exporter has no shards', series: scraped(well(steps)), steps },
  {
    alert: 'SnowgaugeShardMissing',
    title: 'a second StatefulSet watches the same targets, with other shards',
    series: all(
      shard(0, steps, { total: hold(1, steps), targets: hold(10, steps) }),
      shard(0, steps, {}, 'fleet-b'),
      shard(1, steps, {}, 'fleet-b'),
    ),
    steps,
  },
  { alert: 'SnowgaugeShardsDisagree', title: 'all shards agree', series: both, steps },
  { alert: 'SnowgaugeShardsDisagree', title: 'a pair of StatefulSets watches each target twice', series: pair, steps },
  { alert: 'SnowgaugeShardsDisagree', title: 'a shard is added', series: growing, steps },
  {
    alert: 'SnowgaugeShardsDisagree',
    title: 'a pair of Prometheus servers is queried without deduplication',
    series: twice(both),
    steps,
  },
  { alert: 'SnowgaugeShardsDisagree', title: 'five shards get other addresses one after the other', series: rolled, steps },
  {
    alert: 'SnowgaugeShardsDisagree',
    title: 'one shard is missing: another alert fires',
    series: all(shard(0, steps, { handover: inTurn(hold(0, 5), hold(5, 35)) }), until(shard(1, steps), 10)),
    steps,
  },
  {
    alert: 'SnowgaugeShardWatchFailing',
    title: 'the API server is unreachable for 8 minutes',
    series: all(shard(0, steps), shard(1, steps, { watched: inTurn(hold(1, 5), hold(0, 8), hold(1, 27)) })),
    steps,
  },
  {
    alert: 'SnowgaugeShardWatchFailing',
    title: 'the number of shards is configured',
    series: where(
      both,
      (name) => !name.includes('watch_successful'),
      (values) => values,
    ),
    steps,
  },
];
