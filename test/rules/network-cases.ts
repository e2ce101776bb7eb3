// Cases of the alerts on a node's network, its upgrades and its disk.

import type { Fires, Quiet } from './case.ts';
import { failing } from './health-cases.ts';
import { check, grow, hold, info, inTurn, type Series, scraped, well, where } from './series.ts';

const node = (steps: number, changes: Series, seconds = 60, at = 0): Series =>
  scraped({ ...well(steps, seconds), ...changes }, at);

const stake = (values: string): Series => ({ 'snowgauge_chain_connected_ratio{chain="C"}': values });
const peers = (values: string): Series => ({ snowgauge_network_connected_peers: values });
const lastMessage = (values: string): Series => ({ snowgauge_network_last_message_received_timestamp_seconds: values });
const disk = (bytes: string, ratio: string): Series => ({
  snowgauge_disk_available_bytes: bytes,
  snowgauge_disk_available_ratio: ratio,
});
/** A node whose report has only the free bytes. */
const bytesAlone = (bytes: string, steps: number): Series => disk(bytes, hold('_', steps));

const upgrade = (at: number, healthy: number, steps: number): Series => ({
  snowgauge_upgrade_timestamp_seconds: hold(at, steps),
  ...check('futureupgrade', inTurn(hold(1, 2), hold(healthy, steps - 2))),
});

/** Two nodes of one network, the first with a C-Chain that stalls for some minutes. */
const behind = (from: number, minutes: number, changes: Series = {}): Series => {
  const steps = 40;
  const known = info('http://127.0.0.1:9650', '', hold(1, steps));
  const [before, after] = [grow(1000, 20, from), steps - from - minutes];
  const heights = inTurn(
    before,
    hold(1000 + 20 * from, minutes),
    ...(after > 0 ? [grow(1000 + 20 * (from + minutes), 20, after)] : []),
  );
  return {
    ...node(steps, { ...known, 'snowgauge_chain_last_accepted_height{chain="C"}': heights, ...changes }),
    ...node(steps, known, 60, 1),
  };
};

const fleetOf = (changes: Series, steps: number): Series =>
  Object.assign({}, ...[0, 1, 2, 3].map((at) => node(steps, changes, 60, at)));

export const networkFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeConnectedStakeLow',
    title: 'a chain is connected to 82 % of its stake for 10 minutes',
    series: node(25, stake(inTurn(hold(0.97, 5), hold(0.82, 20)))),
    steps: 25,
    at: 15,
    labels: { chain: 'C' },
    summary: 'node (validator-0) is connected to only 82% of the stake of chain C.',
    description:
      "node (validator-0) is connected to 82% of the stake of chain C. Below the node's own threshold the chain becomes unhealthy and may stop accepting blocks.",
  },
  {
    alert: 'SnowgaugeConnectedStakeFalling',
    title: 'a chain loses a quarter of a percent of its stake every minute',
    series: node(90, stake(inTurn(hold(1, 30), grow(1, -0.0025, 60)))),
    steps: 90,
    at: 81,
    soonerIn3: true,
    labels: { chain: 'C' },
    summary: 'node (validator-0) is losing connected stake of chain C, now 87.25%.',
    description:
      'node (validator-0) is connected to 87.25% of the stake of chain C. At the current rate the chain will soon be unhealthy.',
  },
  {
    alert: 'SnowgaugeChainBehind',
    title: 'the C-Chain of one of two nodes has stalled for 16 minutes',
    series: behind(5, 35),
    steps: 40,
    at: 21,
    labels: { chain: 'C', network: 'mainnet' },
    summary: 'node (validator-0) is 320 blocks behind on chain C.',
    description:
      'Chain C of node (validator-0) is 320 blocks and more than 5m behind the highest of your nodes: it accepts blocks too slowly, or none. Network: mainnet.',
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'a node has 3 peers for 15 minutes',
    series: node(30, peers(inTurn(hold(5, 5), hold(3, 25)))),
    steps: 30,
    at: 20,
    summary: 'node (validator-0) has only 3 peers.',
    description: 'node (validator-0) is connected to 3 peers: below the minimum, or far below its own median.',
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'a node has lost more than half of its peers, and the other nodes have not',
    series: { ...node(60, peers(inTurn(hold(200, 35), hold(90, 25)))), ...node(60, {}, 60, 1), ...node(60, {}, 60, 2) },
    steps: 60,
    at: 50,
    summary: 'node (validator-0) has only 90 peers.',
    description: 'node (validator-0) is connected to 90 peers: below the minimum, or far below its own median.',
  },
  {
    alert: 'SnowgaugeNoMessages',
    title: 'no message has arrived for 10 minutes',
    series: node(30, lastMessage(inTurn(grow(-1, 60, 6), hold(299, 24)))),
    steps: 30,
    at: 15,
    summary: 'node (validator-0) has received no messages for 10m 1s.',
    description:
      'node (validator-0) has received no messages for 10m 1s. Peers ping each other even when chains are idle: the node is cut off from the network.',
  },
  {
    alert: 'SnowgaugeUpgradeDeadlineNear',
    title: 'an upgrade that the node does not know is a day away',
    series: node(25, upgrade(86_400, 0, 25)),
    steps: 25,
    at: 17,
    summary: 'node (validator-0) must be upgraded within 23h 43m 0s.',
    description:
      'Most of the stake expects a network upgrade in 23h 43m 0s, but node (validator-0) does not support it. After the upgrade the node falls out of consensus.',
  },
  {
    alert: 'SnowgaugeUpgradeDeadlineNear',
    title: 'an upgrade that the node does not know was two hours ago',
    series: node(25, upgrade(-7200, 0, 25)),
    steps: 25,
    at: 17,
    summary: 'node (validator-0) must be upgraded now.',
    description:
      'A network upgrade that most of the stake expected is past, but node (validator-0) does not support it: it falls out of consensus.',
  },
  {
    alert: 'SnowgaugeDiskFullPredicted',
    title: 'the disk loses a terabyte within two days',
    series: node(160, disk(grow(1e12, -3.6e9, 20), hold(0.5, 20)), 600),
    steps: 20,
    seconds: 600,
    at: 7,
    summary: 'Disk of node (validator-0) will be full in 1d 18h 25m 18s.',
    description:
      'At the current rate the disk of node (validator-0) will be full in 1d 18h 25m 18s. The node shuts down when free space falls below its minimum.',
  },
  {
    alert: 'SnowgaugeDiskLow',
    title: '9 % of the disk are free',
    series: node(20, disk(hold(9e10, 20), inTurn(hold(0.1, 5), hold(0.09, 15)))),
    steps: 20,
    at: 10,
    summary: 'Disk of node (validator-0) has only 9% free.',
    description: '9% of the disk of node (validator-0) is free. The node shuts down when free space falls below its minimum.',
  },
  {
    alert: 'SnowgaugeDiskLow',
    title: '32 GiB are free, on a disk of unknown size',
    series: node(20, bytesAlone(inTurn(hold(6e10, 5), hold(34_359_738_368, 15)), 20)),
    steps: 20,
    at: 10,
    summary: 'Disk of node (validator-0) has only 32GiB free.',
    description: '32GiB of the disk of node (validator-0) is free. The node shuts down when free space falls below its minimum.',
  },
];

export const networkQuiet: readonly Quiet[] = [
  { alert: 'SnowgaugeChainBehind', title: 'the chain stalls for 13 minutes', series: behind(5, 13), steps: 40 },
  {
    alert: 'SnowgaugeChainBehind',
    title: 'the node that is behind bootstraps',
    series: behind(5, 35, { snowgauge_bootstrapping_subnets: hold(1, 40) }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeConnectedStakeLow',
    title: 'the connected stake is just above the threshold',
    series: node(25, stake(hold(0.85, 25))),
    steps: 25,
  },
  {
    alert: 'SnowgaugeConnectedStakeLow',
    title: 'a chain bootstraps and has no stake value',
    series: node(25, {
      ...stake(hold(0.1, 25)),
      'snowgauge_chain_last_accepted_height{chain="C"}': hold('_', 25),
    }),
    steps: 25,
  },
  {
    alert: 'SnowgaugeConnectedStakeLow',
    title: 'every node of the fleet has the same connected stake',
    series: fleetOf(stake(inTurn(hold(0.97, 5), hold(0.82, 20))), 25),
    steps: 25,
  },
  {
    alert: 'SnowgaugeConnectedStakeFalling',
    title: 'the stake falls slowly and is sufficient for hours',
    series: node(80, stake(grow(0.95, -0.0005, 80))),
    steps: 80,
  },
  {
    alert: 'SnowgaugeConnectedStakeFalling',
    title: 'the stake dropped once and is stable',
    series: node(80, stake(inTurn(hold(0.97, 20), hold(0.93, 60)))),
    steps: 80,
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'a small network has always had 4 peers',
    series: node(30, peers(hold(4, 30))),
    steps: 30,
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'the peers come back within 14 minutes',
    series: node(40, peers(inTurn(hold(200, 5), hold(2, 14), hold(200, 21)))),
    steps: 40,
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'every node of the fleet loses half of its peers',
    series: fleetOf(peers(inTurn(hold(200, 35), hold(90, 25))), 60),
    steps: 60,
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'every node of the fleet loses half of its peers, and has too few',
    set: ['peersLow=100'],
    series: fleetOf(peers(inTurn(hold(200, 35), hold(90, 25))), 60),
    steps: 60,
  },
  {
    alert: 'SnowgaugePeersLow',
    title: 'the node is cut off: another alert fires',
    series: node(40, { ...peers(inTurn(hold(200, 5), hold(0, 35))), ...lastMessage(inTurn(grow(-1, 60, 6), hold(299, 34))) }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeNoMessages',
    title: 'every node of the fleet is cut off: SnowgaugeFleetFailing',
    series: fleetOf({ ...lastMessage(inTurn(grow(-1, 60, 6), hold(299, 24))), ...failing('network', 'network', 30, 6, 24) }, 30),
    steps: 30,
  },
  {
    alert: 'SnowgaugeNoMessages',
    title: 'the report is 10 minutes old and was good',
    series: node(30, {
      ...lastMessage(hold(-1, 30)),
      ...where(well(30), (key) => key.startsWith('snowgauge_check_last_run'), hold(0, 30)),
    }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeNoMessages',
    title: 'a message arrives every 5 minutes',
    series: node(30, lastMessage('-1 -1 -1 -1 -1 240x4 540x4 840x4 1140x4 1440x4')),
    steps: 30,
  },
  {
    alert: 'SnowgaugeUpgradeDeadlineNear',
    title: 'the node knows the upgrade of tomorrow',
    series: node(25, upgrade(86_400, 1, 25)),
    steps: 25,
  },
  {
    alert: 'SnowgaugeUpgradeDeadlineNear',
    title: 'the upgrade is 8 days away',
    series: node(25, upgrade(691_200, 0, 25)),
    steps: 25,
  },
  {
    alert: 'SnowgaugeDiskFullPredicted',
    title: 'the free space lasts for two weeks',
    series: node(160, disk(grow(1e12, -4e8, 20), hold(0.5, 20)), 600),
    steps: 20,
    seconds: 600,
  },
  {
    alert: 'SnowgaugeDiskFullPredicted',
    title: 'a compaction takes space for half an hour and gives it back',
    series: node(160, disk(inTurn(hold(1e12, 40), grow(1e12, -4e9, 3), hold(1e12, 30)), hold(0.5, 73)), 600),
    steps: 73,
    seconds: 600,
  },
  {
    alert: 'SnowgaugeDiskFullPredicted',
    title: 'the node has bootstrapped until an hour ago',
    series: node(
      40,
      {
        ...disk(grow(1e12, -3.6e9, 40), hold(0.5, 40)),
        snowgauge_bootstrapping_subnets: inTurn(hold(1, 5), hold(0, 35)),
      },
      600,
    ),
    steps: 40,
    seconds: 600,
  },
  {
    alert: 'SnowgaugeDiskFullPredicted',
    title: 'the disk is already low: another alert fires',
    series: node(160, disk(grow(1e12, -3.6e9, 20), inTurn(hold(0.5, 3), hold(0.09, 17))), 600),
    steps: 20,
    seconds: 600,
  },
  {
    alert: 'SnowgaugeDiskLow',
    title: '10 % of the disk are free',
    series: node(20, disk(hold(4e10, 20), hold(0.1, 20))),
    steps: 20,
  },
  {
    alert: 'SnowgaugeDiskLow',
    title: '50 GB are free, on a disk of unknown size',
    series: node(20, bytesAlone(hold(5e10, 20), 20)),
    steps: 20,
  },
  {
    alert: 'SnowgaugeDiskLow',
    title: 'the free space is low for 4 minutes',
    series: node(20, disk(hold(6e11, 20), inTurn(hold(0.2, 5), hold(0.05, 4), hold(0.2, 11)))),
    steps: 20,
  },
];
