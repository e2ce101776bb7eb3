// Worlds about node identity: one process watched by two exporters, and two processes with the same staking key.

import type { Situation } from './case.ts';
import { hold, info, inTurn, losing, marks, type Series, scraped, scrapeLabels, well } from './series.ts';
import { all, fleetPod, maintained, remote } from './world-parts.ts';

const url = 'http://127.0.0.1:9650';

const withKey = (phase: number, steps: number, seconds = 60): Series => ({
  ...well(steps, seconds),
  ...info(url, 'NodeID-a', hold(1, steps)),
  snowgauge_health_run_mark_timestamp_seconds: marks(phase, steps, seconds),
});

const seen = (node: Series, name: string, at: number): Series =>
  scraped(
    { ...node, ...info(`http://${name}:9650`, 'NodeID-a', hold(1, 60)) },
    fleetPod(`exporter-${at}`, `10.0.0.${at}:9652`),
    name,
  );

export const identityWorlds: readonly Situation[] = [
  {
    title: 'the same staking key is on two machines, each with a sidecar',
    series: all(scraped(withKey(0.25, 60)), scraped(withKey(17.5, 60), 1)),
    steps: 60,
    fires: { 'NodeIdDuplicate network': 1 },
  },
  {
    title: 'the same staking key is on two targets of one exporter, and one scrape in nine is lost',
    series: losing(all(...['a', 'b'].map((name, at) => seen(withKey(17 * at, 60), name, 1))), (step) => step % 9 === 8),
    steps: 60,
    fires: { 'NodeIdDuplicate network': 1 },
  },
  {
    title: 'the same staking key is in two clusters, in a maintenance window',
    series: all(
      ...['a', 'b'].map((cluster, at) =>
        scraped({ ...withKey(17 * at, 60), ...maintained(0, 120, 60) }, { ...scrapeLabels(), cluster }),
      ),
    ),
    steps: 60,
    fires: { 'NodeIdDuplicate network': 2 },
  },
  ...[15, 120].map(
    (seconds): Situation => ({
      title: `one node is watched by two exporters under two names, every ${seconds} s`,
      series: all(
        seen(withKey(0.25, 90, seconds), 'a', 1),
        // Scraped later by most of an interval.
        seen(
          { ...withKey(0.25, 90, seconds), snowgauge_health_run_mark_timestamp_seconds: `_ ${marks(0.25, 89, seconds)}` },
          'b',
          2,
        ),
      ),
      steps: 60,
      seconds,
      evaluation: Math.min(60, seconds),
    }),
  ),
  {
    title: 'one node is watched by one exporter through two URLs',
    series: all(seen(withKey(0.25, 60), 'a', 1), seen(withKey(0.25, 60), 'b', 1)),
    steps: 60,
  },
  {
    title: 'a node without an expected NodeID loses its staking key in its maintenance window',
    series: scraped({
      ...Object.fromEntries(Object.entries(well(60)).filter(([name]) => !name.includes('node_id_expected'))),
      ...info(url, 'NodeID-a', inTurn(hold(1, 20), 'stale')),
      ...info(url, 'NodeID-b', inTurn(hold('_', 20), hold(1, 40))),
      ...maintained(10, 120, 60),
    }),
    steps: 60,
    fires: { 'NodeIdChanged identity': 1 },
  },
  {
    title: 'the expected NodeID of a target changes, also for two replicas',
    series: all(
      ...[1, 2].map((at) =>
        remote(
          { ...well(60), 'snowgauge_target_node_id_expected{node_id="NodeID-a"}': inTurn(hold(1, 20), hold(0, 40)) },
          'a',
          60,
          fleetPod(`exporter-${at}`, `10.0.0.${at}:9652`),
        ),
      ),
    ),
    steps: 60,
    fires: { 'NodeIdUnexpected identity': 1 },
  },
];
