// Cases of the alerts on the identity of a target's node and on its version.

import type { Fires, Quiet } from './case.ts';
import { check, hold, info, inTurn, marks, type Series, scraped, scrapeLabels, until, well } from './series.ts';
import { all, remote } from './world-parts.ts';

const node = (steps: number, changes: Series, at = 0): Series => scraped({ ...well(steps), ...changes }, at);
/** Two regions have the same pods. */
const inRegion = (region: string, at: number, series: Series): Series =>
  scraped(series, { ...scrapeLabels(at), pod: 'validator-0', region });
const url = 'http://127.0.0.1:9650';
const expected = (values: string): Series => ({ 'snowgauge_target_node_id_expected{node_id="NodeID-a"}': values });
const mark = (phase: number, steps: number): Series => ({ snowgauge_health_run_mark_timestamp_seconds: marks(phase, steps) });
/** No NodeID is expected. */
const unexpecting = (steps: number): Series => {
  const { 'snowgauge_target_node_id_expected{node_id="NodeID-a"}': _, ...rest } = well(steps);
  return rest;
};
const changing = (steps: number, from: number): Series => ({
  ...info(url, 'NodeID-a', inTurn(hold(1, from), 'stale')),
  ...info(url, 'NodeID-b', inTurn(hold('_', from), hold(1, steps - from))),
});
const days = 86_400;
const upgrade = (inSeconds: number, newer: string, steps: number): Series => ({
  'snowgauge_upgrade_scheduled_timestamp_seconds{upgrade="helicon"}': hold(inSeconds, steps),
  snowgauge_peers_newer_version: newer,
  // The last known upgrade is in the past.
  snowgauge_upgrade_timestamp_seconds: hold(-1e6, steps),
});

export const identityFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeNodeIdUnexpected',
    title: 'the node has another NodeID, in its maintenance window',
    series: node(20, {
      ...expected(inTurn(hold(1, 5), hold(0, 15))),
      ...changing(20, 5),
      snowgauge_target_maintenance_end_timestamp_seconds: hold(6000, 20),
    }),
    steps: 20,
    at: 6,
    labels: { network: 'mainnet' },
    summary: 'node (validator-0) has another NodeID than expected.',
    description:
      'node (validator-0) is not the node that the configuration expects: its staking key was lost or replaced, or the target leads to another node. Meanwhile the validator earns nothing. NodeID: NodeID-b. Network: mainnet.',
  },
  {
    alert: 'SnowgaugeNodeIdUnexpected',
    title: 'the node has another NodeID, and only a label of the setting distinguishes it from another node',
    set: ['identity=region, namespace, pod, target', 'fleet=region, namespace'],
    series: all(
      inRegion('eu', 0, { ...well(20), ...expected(inTurn(hold(1, 5), hold(0, 15))), ...changing(20, 5) }),
      inRegion('us', 1, { ...well(20), ...info(url, 'NodeID-us', hold(1, 20)) }),
    ),
    steps: 20,
    at: 6,
    labels: { network: 'mainnet', region: 'eu' },
    summary: 'node (validator-0) has another NodeID than expected.',
    description:
      'node (validator-0) is not the node that the configuration expects: its staking key was lost or replaced, or the target leads to another node. Meanwhile the validator earns nothing. NodeID: NodeID-b. Network: mainnet.',
  },
  {
    alert: 'SnowgaugeNodeIdChanged',
    title: 'a pod comes back with another exporter and an empty data dir',
    series: all(
      scraped(until({ ...unexpecting(20), ...info(url, 'NodeID-a', hold(1, 20)) }, 20)),
      scraped(
        { ...unexpecting(40), ...info(url, 'NodeID-b', inTurn(hold('_', 23), hold(1, 17))) },
        { ...scrapeLabels(), instance: 'b' },
      ),
    ),
    steps: 40,
    at: 23,
    labels: { network: 'mainnet' },
    summary: 'node (validator-0) has another NodeID than before.',
    description:
      'node (validator-0) has had 2 NodeIDs within 1h: its staking key was lost or replaced, or the target leads to another node. If it was a validator, it earns nothing meanwhile. This alert resolves by itself. NodeID: NodeID-b. Network: mainnet.',
  },
  {
    alert: 'SnowgaugeNodeIdDuplicate',
    title: 'the same key is on two machines',
    series: all(
      node(40, { ...info(url, 'NodeID-a', hold(1, 40)), ...mark(0.25, 40) }),
      node(40, { ...info(url, 'NodeID-a', hold(1, 40)), ...mark(17.5, 40) }, 1),
    ),
    steps: 40,
    at: 15,
    labels: { node_id: 'NodeID-a', pod: undefined, target: undefined },
    summary: 'Several nodes run with NodeID-a.',
    description:
      'The staking key of NodeID-a is on several machines, and a node runs on each. Peers connect to one of them at a time: the validator loses uptime. Targets: node (validator-0) node (validator-1).',
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'an upgrade is due in three days, and two thirds of the peers run a newer version',
    series: node(30, { ...info(url, 'NodeID-a', hold(1, 30)), ...upgrade(3 * days, hold(130, 30), 30) }),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet' },
    summary: 'node (validator-0) runs an older version than its peers, and an upgrade is due in 2d 23h 45m 0s.',
    description:
      'A network upgrade is due in 2d 23h 45m 0s, and more than 50% of the peers of node (validator-0) run a newer version. Its version may lack a fix that the upgrade requires. NodeID: NodeID-a. Network: mainnet.',
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'most of the stake expects an upgrade in five days, and the version of the node knows of none',
    series: node(30, {
      ...info(url, 'NodeID-a', hold(1, 30)),
      ...upgrade(1e9, hold(130, 30), 30),
      snowgauge_upgrade_timestamp_seconds: hold(5 * days, 30),
    }),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet' },
    summary: 'node (validator-0) runs an older version than its peers, and an upgrade is due in 4d 23h 45m 0s.',
    description:
      'A network upgrade is due in 4d 23h 45m 0s, and more than 50% of the peers of node (validator-0) run a newer version. Its version may lack a fix that the upgrade requires. NodeID: NodeID-a. Network: mainnet.',
  },
  ...[30, 4].map(
    (inDays): Fires => ({
      alert: 'SnowgaugeVersionBehind',
      title: `the node has an upgrade in three days, and most of the stake knows of one in ${inDays} days`,
      series: node(30, {
        ...info(url, 'NodeID-a', hold(1, 30)),
        ...upgrade(3 * days, hold(130, 30), 30),
        snowgauge_upgrade_timestamp_seconds: hold(inDays * days, 30),
      }),
      steps: 30,
      at: 15,
      labels: { network: 'mainnet' },
      summary: 'node (validator-0) runs an older version than its peers, and an upgrade is due in 2d 23h 45m 0s.',
      description:
        'A network upgrade is due in 2d 23h 45m 0s, and more than 50% of the peers of node (validator-0) run a newer version. Its version may lack a fix that the upgrade requires. NodeID: NodeID-a. Network: mainnet.',
    }),
  ),
];

export const identityQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeNodeIdUnexpected',
    title: 'the node is the expected one',
    series: node(20, expected(hold(1, 20))),
    steps: 20,
  },
  {
    alert: 'SnowgaugeNodeIdUnexpected',
    title: 'nothing is expected, and the NodeID changes',
    series: scraped({ ...unexpecting(20), ...changing(20, 5) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeNodeIdChanged',
    title: 'the expected NodeID of a target changes, and the node changes to it',
    series: node(20, { ...expected(inTurn(hold(0, 5), hold(1, 15))), ...changing(20, 5) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeNodeIdChanged',
    title: 'the node is upgraded and moves to another network',
    series: scraped({
      ...unexpecting(30),
      ...info(url, 'NodeID-a', inTurn(hold(1, 10), 'stale'), 'fuji'),
      ...info(url, 'NodeID-a', inTurn(hold('_', 10), hold(1, 20))),
    }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeNodeIdChanged',
    title: 'replicas of the exporter see two nodes behind one target: SnowgaugeReplicasDisagree',
    series: all(
      scraped({ ...unexpecting(30), ...info(url, 'NodeID-a', hold(1, 30)) }),
      scraped({ ...unexpecting(30), ...info(url, 'NodeID-b', hold(1, 30)) }, { ...scrapeLabels(), instance: 'b' }),
    ),
    steps: 30,
  },
  {
    alert: 'SnowgaugeNodeIdDuplicate',
    title: 'one process is watched by two exporters, and one of them is scraped minutes later',
    series: all(
      node(60, { ...info(url, 'NodeID-a', hold(1, 60)), ...mark(0.25, 60) }),
      node(
        60,
        { ...info(url, 'NodeID-a', hold(1, 60)), snowgauge_health_run_mark_timestamp_seconds: `_x1 ${marks(0.25, 58)}` },
        1,
      ),
    ),
    steps: 60,
  },
  {
    alert: 'SnowgaugeNodeIdDuplicate',
    title: 'a key is used on Mainnet and on Fuji',
    series: all(
      node(40, { ...info(url, 'NodeID-a', hold(1, 40)), ...mark(0.25, 40) }),
      node(40, { ...info(url, 'NodeID-a', hold(1, 40), 'fuji'), ...mark(17.5, 40) }, 1),
    ),
    steps: 40,
  },
  {
    alert: 'SnowgaugeNodeIdDuplicate',
    title: 'a node moves to another machine, and runs on both for five minutes',
    series: all(
      scraped(until({ ...well(25), ...info(url, 'NodeID-a', hold(1, 25)), ...mark(0.25, 25) }, 25)),
      node(60, { ...info(url, 'NodeID-a', inTurn(hold('_', 20), hold(1, 40))), ...mark(17.5, 60) }, 1),
    ),
    steps: 60,
  },
  {
    alert: 'SnowgaugeNodeIdDuplicate',
    title: 'two nodes have different keys',
    series: all(
      ...['a', 'b'].map((name, at) =>
        remote({ ...well(40), ...mark(at + 0.25, 40) }, name, 40, { ...scrapeLabels(at), instance: name }),
      ),
    ),
    steps: 40,
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'an upgrade is due in ten days',
    series: node(30, upgrade(10 * days, hold(130, 30), 30)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'an upgrade is due, and few peers run a newer version',
    series: node(30, upgrade(3 * days, hold(99, 30), 30)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'check futureupgrade fails: SnowgaugeUpgradeDeadlineNear',
    series: node(30, { ...upgrade(3 * days, hold(130, 30), 30), ...check('futureupgrade', hold(0, 30)) }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeVersionBehind',
    title: 'the upgrade is in the past',
    series: node(30, upgrade(60, hold(130, 30), 30)),
    steps: 30,
  },
];
