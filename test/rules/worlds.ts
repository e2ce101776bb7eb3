// Worlds in which the rules must fire a few alerts for one cause, despite restarts, replicas, clusters and lost scrapes.

import type { Situation } from './case.ts';
import {
  beginning,
  dip,
  grow,
  hold,
  info,
  inTurn,
  isOfNode,
  l1,
  losing,
  moreTagSets,
  ready,
  scraped,
  scrapeLabels,
  until,
  well,
  where,
} from './series.ts';
import {
  all,
  bootstrapping,
  closed,
  crashing,
  cutOff,
  down,
  failing,
  fleetPod,
  four,
  inCluster,
  maintained,
  others,
  own,
  pods,
  poor,
  remote,
  silent,
  stuck,
  tracksAnother,
  unpolledAt,
  unready,
  withoutChecks,
} from './world-parts.ts';

/** One scrape in nine is lost, at several intervals. */
const losses = [
  { every: 15, steps: 160 },
  { every: 60, steps: 120 },
  { every: 120, steps: 60 },
].map(
  ({ every, steps }): Situation => ({
    title: `one scrape in nine is lost, at an interval of ${every} s, of a node with 2 peers, 81 % of the stake, and unready`,
    series: scraped(losing(poor(steps, Math.round(steps / 8), every), (step) => step % 9 === 8)),
    steps,
    seconds: every,
    evaluation: Math.min(Math.max(every, 15), 60),
    fires: { 'ReadinessLost node': 1, 'PeersLow node': 1, 'ConnectedStakeLow chain': 1 },
  }),
);

const healthyLosses = [60, 120].map(
  (every): Situation => ({
    title: `two scrapes in a row are lost occasionally, at an interval of ${every} s, of a healthy node`,
    series: scraped(losing(well(90, every), (step) => step % 12 > 9)),
    steps: 90,
    seconds: every,
    evaluation: Math.min(every, 60),
  }),
);

export const worlds: readonly Situation[] = [
  {
    title: 'a pod returns with another address, bootstraps and never becomes ready',
    series: all(
      scraped(until(well(20), 20)),
      scraped(beginning(bootstrapping(120), 23), { ...scrapeLabels(), instance: '10.0.7.7:9652' }),
    ),
    steps: 143,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'the only exporter is replaced, and the new one crash-loops from its first start',
    series: all(...['a', 'b'].map((name) => until(remote(well(20), name, 20, fleetPod('exporter-1', '10.0.0.1:9652')), 20)), {
      'up{job="snowgauge",namespace="avalanche",pod="exporter-2",instance="10.0.0.2:9652"}': inTurn(hold('_', 21), hold(0, 60)),
    }),
    steps: 80,
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'a sidecar returns in a new pod and crash-loops from its first start',
    series: all(scraped(until(well(20), 20)), scraped(well(60), 1), {
      'up{job="snowgauge",namespace="avalanche",pod="validator-0",instance="10.0.7.7:9652"}': inTurn(hold('_', 21), hold(0, 39)),
    }),
    steps: 60,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'one of two clusters is gone',
    series: all(
      scraped(until(well(20), 20), inCluster('a')),
      scraped(until(well(20), 20), { ...inCluster('a'), pod: 'validator-1' }),
      scraped(well(60), inCluster('b')),
    ),
    steps: 60,
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'a target is renamed, then unready and with 30 of 200 peers',
    series: all(
      scraped(until({ ...well(60), ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 60)) }, 60)),
      scraped(
        beginning(
          {
            ...well(45),
            ...where(well(45), (name) => name.startsWith('snowgauge_chain_last'), grow(2200, 20, 45)),
            ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 45)),
            ...unready(45, 5),
            snowgauge_network_connected_peers: dip(200, 30, 45, 5),
          },
          60,
        ),
        0,
        'validator',
      ),
      scraped({ up: hold(1, 105), 'snowgauge_build_info{version="0.1.0"}': hold(1, 105) }),
    ),
    steps: 105,
    fires: { 'ReadinessLost node': 1, 'PeersLow node': 1 },
  },
  {
    title: "the exporter's Deployment is rolled while an alert fires",
    series: all(
      until(remote({ ...well(60), ...unready(60, 10) }, 'a', 60, fleetPod('exporter-1', '10.0.0.1:9652')), 60),
      scraped(
        beginning({ ...well(60), ...ready(hold(0, 60)), ...info('http://a:9650', '', hold(1, 60)) }, 63),
        fleetPod('exporter-2', '10.0.0.2:9652'),
        'a',
      ),
    ),
    steps: 123,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'the exporter is restarted while alerts are pending, and scraped before it has polled the node',
    series: scraped(
      unpolledAt(
        {
          ...well(75),
          ...unready(75, 35),
          ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 75)),
          [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: hold(0, 75),
        },
        45,
      ),
    ),
    steps: 75,
    fires: { 'UnknownTag tag_set': 1, 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'the P-Chain of a single node fails for 3 hours, and the reason alternates every 4 minutes',
    series: scraped({ ...well(190), ...failing('P', ['stake-disconnected', 'block-processing'], 190, 10, ['all']) }),
    steps: 190,
    fires: { 'Unhealthy node': 1, 'CheckFailing node': 1 },
    ends: { 'CheckFailing node': 1 },
  },
  ...losses,
  ...healthyLosses,
  {
    title: 'a node crash-loops every 6 minutes',
    series: scraped(crashing(120)),
    steps: 120,
    fires: { 'NodeRestarting node': 1 },
  },
  {
    title: 'all four of my nodes fail P for 95 minutes, lose peers from 200 to 40 and stake from 97 to 81 %',
    series: four(cutOff(105, 10)),
    steps: 105,
    fires: { 'FleetFailing network': 1 },
  },
  {
    title: 'all four of my nodes and nodes of other operators fail P for 95 minutes',
    series: all(four(cutOff(105, 10)), others(105)),
    steps: 105,
    fires: { 'FleetFailing network': 1, 'NetworkEvent network': 1 },
  },
  {
    title: 'both of two nodes get no messages, fail P and network, and lose their peers and stake',
    series: pods(silent(105, 10), silent(105, 10)),
    steps: 105,
    fires: { 'FleetFailing network': 1 },
  },
  {
    title: 'three replicas of the exporter watch two nodes, one of them stuck',
    series: all(
      ...[1, 2, 3].flatMap((at) => {
        const by = fleetPod(`exporter-${at}`, `10.0.0.${at}:9652`);
        return [
          remote({ ...well(105), ...failing('P', stuck, 105, 10, ['all']) }, 'a', 105, by),
          remote(well(105), 'b', 105, by),
        ];
      }),
    ),
    steps: 105,
    fires: { 'Unhealthy node': 1, 'CheckFailing node': 1 },
    ends: { 'CheckFailing node': 1 },
  },
  {
    title: 'one of three replicas of the exporter is replaced',
    series: all(
      ...[1, 2, 3].map((at) => remote(well(60), 'a', 60, fleetPod(`exporter-${at}`, `10.0.0.${at}:9652`))),
      until(remote(well(60), 'a', 60, fleetPod('exporter-3', '10.0.0.3:9652')), 20),
    ),
    steps: 60,
  },
  {
    title: 'a database is closed with five tag sets',
    series: scraped(closed(105, 10)),
    steps: 105,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a node with five tag sets and three chains is down',
    series: scraped(down(60, 10, ['a', 'b', 'c'])),
    steps: 60,
    fires: { 'TargetDown target': 1 },
  },
  {
    title: 'a subnet with three tag sets fails and makes the whole node unready',
    series: scraped({
      ...well(60),
      ...moreTagSets(['a'], 60),
      ...failing('a', ['vm-dead', 'vm-dead'], 60, 10, ['all', 'a']),
      ...ready(dip(1, 0, 60, 10), ['all', 'a']),
    }),
    steps: 60,
    fires: { 'ReadinessLost tag_set': 1 },
  },
  {
    title: 'a node starts to track another subnet, which bootstraps, and a tag set of a subnet stays ready',
    series: scraped({ ...well(120), ...tracksAnother(120, 20) }),
    steps: 120,
  },
  {
    title: 'a node starts to track another subnet, which bootstraps, and then its C-Chain fails',
    series: scraped({
      ...well(120),
      ...failing('C', ['vm-dead', 'vm-dead'], 120, 60, ['all']),
      ...tracksAnother(120, 20),
    }),
    steps: 120,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a subnet that ran before bootstraps again, and a tag set of another subnet stays ready',
    series: scraped({
      ...well(120),
      ...tracksAnother(120, 20),
      'snowgauge_chain_last_accepted_height{chain="C"}': inTurn(hold(1000, 20), 'stale', hold('_', 99)),
    }),
    steps: 120,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a target is renamed, and a subnet that ran before bootstraps again, while a tag set of another subnet stays ready',
    series: all(
      scraped(until({ ...well(60), ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 60)) }, 60)),
      scraped(
        beginning(
          {
            ...well(120),
            ...tracksAnother(120, 0),
            'snowgauge_chain_last_accepted_height{chain="C"}': hold('_', 120),
            ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 120)),
          },
          60,
        ),
        0,
        'renamed',
      ),
      scraped({ up: hold(1, 180), 'snowgauge_build_info{version="0.1.0"}': hold(1, 180) }),
    ),
    steps: 180,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'two clusters have the same namespace and pod, and both are healthy',
    series: all(...['a', 'b'].map((cluster) => all(scraped(well(45), inCluster(cluster)), own(cluster, 0, 45)))),
    steps: 45,
  },
  {
    title: 'one of two clusters with the same namespace and pod fails, and its node metrics agree',
    series: all(
      scraped({ ...well(45), ...failing('database', ['database', 'database'], 45, 10, ['all', 'my-l1']) }, inCluster('a')),
      scraped(well(45), inCluster('b')),
      own('b', 0, 45),
    ),
    steps: 45,
    fires: { 'Unhealthy node': 1 },
  },
  {
    title: 'sidecars without a pod, as in a plain scrape configuration: one of two is unready',
    series: all(
      scraped({ ...well(45), ...unready(45, 10) }, { job: 'snowgauge', instance: 'host-a:9652' }),
      scraped(well(45), { job: 'snowgauge', instance: 'host-b:9652' }),
    ),
    steps: 45,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a check fails three times within an hour, with a scrape interval of 35 s',
    series: scraped({
      ...well(120, 35),
      'snowgauge_check_transitions_total{check="router",to="failing"}': inTurn(
        hold(0, 20),
        hold(1, 20),
        hold(2, 20),
        hold(3, 60),
      ),
    }),
    steps: 120,
    seconds: 35,
  },
  {
    title: 'a node with default flags has no indexes, and its exporter watches none',
    series: scraped(Object.fromEntries(Object.entries(well(60)).filter(([name]) => !name.startsWith('snowgauge_index')))),
    steps: 60,
  },
  {
    title: 'the target responds without any check, and never had one',
    series: scraped(withoutChecks(60, 0)),
    steps: 60,
    fires: { 'Unhealthy node': 1 },
  },
  {
    title: 'a node was ready and no longer reports any check',
    series: scraped(withoutChecks(60, 20)),
    steps: 60,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a node goes down and restarts three times within its maintenance window, and recovers before its end',
    series: scraped({
      ...well(60),
      ...down(60, 20),
      ...where(well(60), isOfNode, (values) => values),
      snowgauge_up: dip(1, 0, 60, 20, 20),
      ...ready(dip(1, 0, 60, 20, 20)),
      ...maintained(15, 30, 60),
      snowgauge_node_restarts_total: inTurn(hold(0, 25), hold(1, 5), hold(2, 5), hold(3, 25)),
    }),
    steps: 60,
  },
  {
    title: 'the pod is gone beyond its maintenance window',
    series: all(scraped(until({ ...well(20), ...maintained(15, 30, 20) }, 20)), scraped(well(90), 1)),
    steps: 70,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'a pair of Prometheus servers is queried without deduplication, and one node of two is unready',
    series: all(
      ...['a', 'b'].flatMap((replica) => [
        scraped({ ...well(45), ...unready(45, 10) }, { ...scrapeLabels(), prometheus_replica: replica }),
        scraped(well(45), { ...scrapeLabels(1), prometheus_replica: replica }),
      ]),
    ),
    steps: 45,
    fires: { 'ReadinessLost node': 1 },
  },
];
