// Drills on a node's network, disk and clock.

import type { Drill, Injection } from './drill.ts';
import { looksBack } from './pace.ts';

/** A fault that gets worse, one step per second. */
const falling = (steps: number, faults: (step: number) => Extract<Injection, { kind: 'node' }>['faults']): readonly Injection[] =>
  Array.from({ length: steps }, (_, step) => ({ after: step, kind: 'node', faults: faults(step) }));

const upgradeAt = new Date('2100-01-01T00:00:00Z');

export const networkDrills: readonly Drill[] = [
  {
    name: 'stake-low',
    fault: 'The node is connected to 82 % of the stake of alpha-dex: the chain is still healthy.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'stake-disconnects', chain: 'alpha', percentConnected: 0.82 }] }],
    sign: { family: 'snowgauge_chain_connected_ratio', labels: { chain: 'alpha-dex' }, is: (value) => value < 0.85 },
    alert: 'SnowgaugeConnectedStakeLow',
    labels: { chain: 'alpha-dex' },
    look: 'Node, "Connected stake": between the two dashed lines.',
  },
  {
    name: 'stake-falling',
    fault: 'Validators of beta-game disconnect one after the other: the connected stake falls from 98 % to 87 %.',
    injections: falling(12, (step) => [{ fault: 'stake-disconnects', chain: 'beta', percentConnected: 0.98 - step / 100 }]),
    sign: { family: 'snowgauge_chain_connected_ratio', labels: { chain: 'beta-game' }, is: (value) => value < 0.985 },
    alert: 'SnowgaugeConnectedStakeFalling',
    labels: { chain: 'beta-game' },
    set: { stakeTrendWindow: '10s', stakeAhead: '60' },
    waits: looksBack(3),
    look: 'Node, "Connected stake": it falls steadily, while the chain is healthy.',
  },
  {
    name: 'peers-low',
    fault: 'Only 3 of 24 peers are left.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 3 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value < 4 },
    alert: 'SnowgaugePeersLow',
    look: 'Fleet, "Peers, the 10 fewest": only this node.',
  },
  {
    name: 'no-messages',
    fault: 'The node is cut off: no peers, no inbound messages.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 0 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value === 0 },
    alert: 'SnowgaugeNoMessages',
    // As with the shipped settings, the alert on few peers waits longer than the one on silence.
    set: { noMessagesAge: '5', peersLowFor: '15s' },
    waits: looksBack(5),
    alongside: ['SnowgaugeReadinessLost'],
    look: 'Node, "Time since last message": it rises steadily.',
  },
  {
    name: 'upgrade-near',
    fault: 'Most of the stake expects an upgrade in 2100 that this node does not support.',
    injections: [
      {
        after: 0,
        kind: 'node',
        faults: [
          {
            fault: 'check-fails',
            check: 'futureupgrade',
            error: 'imminent network upgrade',
            message: { modeUpgradeTime: upgradeAt.toISOString() },
          },
        ],
      },
    ],
    sign: { family: 'snowgauge_upgrade_timestamp_seconds', is: (value) => value > 0 },
    alert: 'SnowgaugeUpgradeDeadlineNear',
    // 200 years: the upgrade is near whenever the drill runs.
    set: { upgradeSoon: '6311520000' },
    look: 'Node, "Upgrade in": decades. In this drill, an upgrade is near if it is less than 200 years away.',
  },
  {
    name: 'disk-low',
    fault: 'Only 7 % of the disk of the database is free.',
    injections: [
      { after: 0, kind: 'node', faults: [{ fault: 'disk-fills', availablePercentage: 7, availableBytes: 40_000_000_000 }] },
    ],
    sign: { family: 'snowgauge_disk_available_ratio', is: (value) => value < 0.1 },
    alert: 'SnowgaugeDiskLow',
    look: 'Fleet, column "disk free": red. The check fails too: that is its warning; the node shuts itself down at 3 %.',
  },
  {
    name: 'disk-filling',
    fault: 'Free disk space shrinks by a gigabyte per second.',
    injections: falling(15, (step) => [
      { fault: 'disk-fills', availablePercentage: 50, availableBytes: 500_000_000_000 - step * 1_000_000_000 },
    ]),
    sign: { family: 'snowgauge_disk_available_bytes', is: (value) => value <= 500_000_000_000 },
    alert: 'SnowgaugeDiskFullPredicted',
    set: { diskTrendWindow: '10s' },
    waits: looksBack(3),
    look: 'Node, "Disk full in": minutes, although half of the disk is free.',
  },
  {
    name: 'clock-skewed',
    fault: "The node's clock jumps ahead by a minute.",
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'clock-skewed', offset: 60 }] }],
    sign: { family: 'snowgauge_clock_skew_seconds', is: (value) => value > 10 },
    alert: 'SnowgaugeClockSkew',
    look: 'Node, "Clock skew": 60 s.',
  },
];
