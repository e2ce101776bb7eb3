// Worlds of several shards: a target that moves between them stays the same target and causes no alert.

import type { Situation } from './case.ts';
import { beginning, hold, losing, type Series, scraped, until, well, where } from './series.ts';
import { all, fleetPod, remote } from './world-parts.ts';

const steps = 90;
const pod = (at: number) => fleetPod(`fleet-${at}`, `10.0.0.${at + 1}:9652`);

/** The exporter's own series, as long as its pod exists. */
const own = (at: number): Series => {
  const labels = `job="snowgauge",namespace="avalanche",pod="fleet-${at}",instance="10.0.0.${at + 1}:9652"`;
  return { [`up{${labels}}`]: hold(1, steps), [`snowgauge_build_info{${labels},version="0.1.0"}`]: hold(1, steps) };
};

/** One of two shards. */
const numbered = (at: number, shard: number): Series =>
  scraped(
    {
      [`snowgauge_shard_info{shard="${shard}",total_shards="2"}`]: hold(1, steps),
      snowgauge_shards: hold(2, steps),
      snowgauge_shard_targets: hold(1, steps),
      snowgauge_shard_fleet_targets: hold(2, steps),
      snowgauge_shard_handover_targets: hold(0, steps),
    },
    pod(at),
  );

/** A node as one shard sees it between two steps: node values continue, and the shard's counters start with it. */
const watched = (name: string, at: number, from = 0, to = steps): Series => {
  const by = (many: number): Series => {
    const series = remote(well(many), name, many, pod(at));
    return where(
      series,
      (key) => !/^(?:up|snowgauge_build_info)\{/.test(key),
      (values) => values,
    );
  };
  const isCounter = (key: string): boolean => /_total\{/.test(key);
  const all = {
    ...losing(by(steps), (step) => step < from),
    ...(from > 0 &&
      beginning(
        where(by(steps - from), isCounter, (values) => values),
        from,
      )),
  };
  return to === steps ? all : until(all, to);
};

/** Both shards watch the node for one step. */
const moves = (name: string, from: number, to: number, at: number): Series =>
  all(watched(name, from, 0, at + 1), watched(name, to, at));

/** Two shards with three targets, one of which moves after half an hour. */
export const moving = all(own(0), own(1), watched('a', 0), watched('b', 1), moves('c', 0, 1, 30));

export const shardWorlds: readonly Situation[] = [
  {
    title: 'a target moves from shard 0 to shard 1, and both watch it for a minute',
    series: moving,
    steps,
  },
  {
    title: 'a shard is removed, and another watches its target two minutes later',
    series: all(own(0), until(own(1), 30), watched('a', 0), watched('b', 0), watched('c', 1, 0, 30), watched('c', 0, 32)),
    steps,
  },
  {
    title: 'a shard disappears for good, and no other takes its target',
    series: all(own(0), until(own(1), 30), watched('a', 0), watched('b', 0), watched('c', 1, 0, 30)),
    steps,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'two shards restart with the number of the other',
    series: all(
      ...[0, 1].map((at) =>
        all(own(at), watched(at === 0 ? 'a' : 'b', at), until(numbered(at, at), 30), beginning(numbered(at, 1 - at), 30)),
      ),
    ),
    steps,
  },
  {
    title: 'two replicas of each shard watch each target, and one of them is replaced',
    series: all(
      ...[0, 1].map((at) => all(own(at), watched('a', at), watched('b', at))),
      moves('c', 0, 2, 40),
      watched('c', 1),
      beginning(own(2), 40),
    ),
    steps,
  },
];
