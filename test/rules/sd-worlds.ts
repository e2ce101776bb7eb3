// Worlds scraped in two ways: the whole /metrics of each exporter, or each target from /api/v1/sd. The alerts must be the same.

import type { Situation } from './case.ts';
import { beginning, dip, hold, info, inTurn, losing, type Series, scraped, until, well, where } from './series.ts';
import { all, down, failing, maintained, stuck } from './world-parts.ts';

const steps = 60;

type Way = 'whole' | 'listed';

const labels = { job: 'snowgauge', namespace: 'avalanche' };
const address = (at: number): string => `snowgauge-${at}.pods:9652`;

const isOwn = (name: string): boolean =>
  /^(?:up|process_start_time_seconds|snowgauge_(?:build_info|config_|discovery_|event_history_|shard))/.test(name);
const keep = (series: Series, is: (name: string) => boolean): Series => where(series, is, (values) => values);

/** The exporter's own series. */
const exporter = (at: number, more: Series = {}): Series =>
  scraped({ ...keep(well(steps), isOwn), ...more }, { ...labels, instance: address(at) });

/** The exporter's series of a node. */
const seen = (
  way: Way,
  at: number,
  name: string,
  node: Series = well(steps),
  source = 'file/0',
  own: Readonly<Record<string, string>> = {},
): Series => {
  const of = { ...info(`http://${name}:9650`, `NodeID-${name}`, hold(1, steps), 'mainnet', source), ...node };
  const scrape = way === 'whole' ? { instance: address(at) } : { instance: name, exporter_instance: address(at) };
  return scraped(
    keep(of, (key) => (key === 'up' ? way === 'listed' : !isOwn(key))),
    { ...labels, ...scrape, ...own },
    name,
  );
};

/** The scrape fails from a step on, and Prometheus keeps trying. */
const lost = (series: Series, step: number): Series => {
  const ups = keep(series, (name) => name.startsWith('up{'));
  return all(
    until(series, step),
    where(ups, () => true, dip(1, 0, steps, step)),
  );
};

/** No longer watched: one or two scrapes find nothing until Prometheus has the next list. */
const removed = (series: Series, step: number): Series =>
  all(
    until(series, step),
    where(series, (name) => name.startsWith('up{'), inTurn(hold(1, step), hold(0, 1), 'stale')),
  );

/** One of two shards, by the number of its targets. */
const shard = (at: number, targets: string, fleet = hold(3, steps)): Series =>
  exporter(at, {
    [`snowgauge_shard_info{statefulset="snowgauge",shard="${at}",total_shards="2"}`]: hold(1, steps),
    'snowgauge_shards{statefulset="snowgauge"}': hold(2, steps),
    'snowgauge_shard_targets{statefulset="snowgauge"}': targets,
    'snowgauge_shard_fleet_targets{statefulset="snowgauge"}': fleet,
  });

/** A shard with its own page lists the targets that it counts. */
const shards = (way: Way): Series =>
  all(shard(0, dip(1, 2, steps, 21)), shard(1, dip(2, 1, steps, 20)), seen(way, 0, 'a'), seen(way, 1, 'b'));

/** Moves from shard 1 to shard 0: one scrape finds the target on neither, and the new shard's counters start with it. */
const moved = (way: Way, node: Series = well(steps), source = 'file/0'): Series =>
  all(
    removed(seen(way, 1, 'c', node, source), 20),
    losing(seen(way, 0, 'c', node, source), (step) => step < 21),
    beginning(
      keep(seen(way, 0, 'c', well(steps - 21), source), (name) => /^up\{|_total\{/.test(name)),
      21,
    ),
  );

interface World extends Omit<Situation, 'series' | 'steps'> {
  readonly series: (way: Way) => Series;
  /** Both ways by default. */
  readonly ways?: readonly Way[];
}

const both = (way: Way, at = 0): Series => all(exporter(at), seen(way, at, 'a'), seen(way, at, 'b'));

/** The target name comes from a label of the target instead of the scrape. */
const named = (way: Way, name: string): Series =>
  seen(way, 0, name, well(steps), 'configuration', { namespace: 'validators', cluster: 'eu' });

const worlds: readonly World[] = [
  {
    title: 'one of three nodes fails for P, another is down',
    ways: ['listed'],
    series: (way) =>
      all(
        both(way),
        seen(way, 0, 'c', { ...well(steps), ...failing('P', stuck, steps, 10, ['all']) }),
        seen(way, 0, 'd', down(steps, 10)),
      ),
    fires: { 'Unhealthy node': 1, 'TargetDown target': 1 },
  },
  {
    title: 'a discovered target and one of the file are removed from a running exporter',
    series: (way) =>
      all(both(way), removed(seen(way, 0, 'found'), 20), removed(seen(way, 0, 'written', well(steps), 'configuration'), 20)),
  },
  {
    title: 'a target of the file is removed from a running exporter while it is down',
    ways: ['listed'],
    series: (way) => all(both(way), removed(seen(way, 0, 'written', down(steps, 17), 'configuration'), 20)),
  },
  {
    title: 'a target of the file is removed from its shard while it is down',
    series: (way) =>
      all(
        shard(0, hold(1, steps), dip(3, 2, steps, 20)),
        shard(1, dip(2, 1, steps, 20), dip(3, 2, steps, 20)),
        seen(way, 0, 'a'),
        seen(way, 1, 'b'),
        removed(seen(way, 1, 'written', down(steps, 17), 'configuration'), 20),
      ),
  },
  {
    title: 'one scrape in nine of a target of the file that is down is lost',
    ways: ['listed'],
    series: (way) =>
      all(
        both(way),
        losing(seen(way, 0, 'written', down(steps, 5), 'configuration'), (step) => step % 9 === 8),
      ),
    fires: { 'TargetDown target': 1 },
    steady: true,
  },
  {
    title: 'the only exporter is down',
    ways: ['listed'],
    series: (way) => lost(both(way), 20),
    fires: { 'ExporterDown exporter': 1 },
  },
  {
    title: 'the only exporter is gone',
    ways: ['listed'],
    series: (way) => until(both(way), 20),
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'one of two exporters is down, after one of its targets was removed',
    series: (way) =>
      all(both(way), lost(all(exporter(1), seen(way, 1, 'c'), seen(way, 1, 'd')), 20), removed(seen(way, 1, 'e'), 15)),
    fires: { 'ExporterDown exporter': 1 },
  },
  {
    title: 'one of two exporters is gone with its target',
    ways: ['listed'],
    series: (way) => all(both(way), until(all(exporter(1), seen(way, 1, 'c', well(steps), 'configuration')), 20)),
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'the only exporter comes back at another address, and a target of its file is removed on purpose later',
    series: (way) => {
      const written = (at: number): Series => seen(way, at, 'written', well(steps), 'configuration');
      return all(until(all(both(way), written(0)), 10), beginning(both(way, 1), 11), beginning(removed(written(1), 19), 11));
    },
  },
  {
    title: 'a target of the file moves to another exporter, which disappears later',
    series: (way) => {
      const written = (at: number): Series => seen(way, at, 'written', well(steps), 'configuration');
      return all(
        both(way),
        removed(written(0), 10),
        until(
          all(
            exporter(1),
            losing(written(1), (step) => step < 10),
          ),
          30,
        ),
      );
    },
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'targets have their own labels in place of those of the scrape, and one is removed',
    series: (way) => all(both(way), named(way, 'c'), removed(named(way, 'd'), 20)),
  },
  {
    title: 'the exporter of targets with their own labels is down',
    series: (way) => lost(all(exporter(0), named(way, 'c'), named(way, 'd')), 20),
    fires: { 'ExporterDown exporter': 1 },
  },
  {
    title: 'the exporter of targets with their own labels is gone',
    series: (way) => until(all(exporter(0), named(way, 'c'), named(way, 'd')), 20),
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'a target of the configuration moves between shards while it is down for eight minutes',
    series: (way) => all(shards(way), moved(way, { ...well(steps), snowgauge_up: dip(1, 0, steps, 16, 8) }, 'configuration')),
    fires: { 'TargetDown target': 1 },
    ends: {},
  },
  {
    title: 'a target moves between shards, and the one that it came from is down later',
    series: (way) => all(shards(way), moved(way), lost(all(shard(1, dip(2, 1, steps, 20)), seen(way, 1, 'b')), 35)),
    fires: { 'ExporterDown exporter': 1, 'ShardMissing exporter': 1 },
  },
  {
    title: 'one of two replicas cannot reach a node and is down later',
    series: (way) => all(both(way), lost(all(exporter(1), seen(way, 1, 'a', down(steps, 0)), seen(way, 1, 'b')), 45)),
    fires: { 'ReplicasDisagree node': 1 },
    ends: {},
  },
  {
    title: 'the only exporter is down, within the maintenance window of its target',
    ways: ['listed'],
    series: (way) => lost(all(exporter(0), seen(way, 0, 'a', { ...well(steps), ...maintained(10, 80, steps) })), 20),
  },
  {
    title: 'an exporter of two nodes crash-loops',
    ways: ['listed'],
    series: (way) =>
      all(both(way), exporter(0, { process_start_time_seconds: inTurn(...[1, 2, 3, 4].map((start) => hold(start, 15))) })),
    fires: { 'ExporterRestarting exporter': 1 },
  },
];

export const sdWorlds: readonly Situation[] = worlds.flatMap(({ title, series, ways = ['whole', 'listed'], ...one }) =>
  ways.map((way) => ({
    ...one,
    title: `${way === 'whole' ? 'scraped as a whole' : 'scraped per target'}: ${title}`,
    series: series(way),
    steps,
  })),
);
