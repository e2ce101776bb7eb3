// Drills on a node's network, disk and clock.

import type { Drill, Injection } from './drill.ts';
import { looksBack } from './pace.ts';

/** Something that gets worse, a step a second. */
const falling = (steps: number, faults: (step: number) => Extract<Injection, { kind: 'node' }>['faults']): readonly Injection[] =>
  Array.from({ length: steps }, (_, step) => ({ after: step, kind: 'node', faults: faults(step) }));

const upgradeAt = new Date('2100-01-01T00:00:00Z');

export const networkDrills: readonly Drill[] = [
  {
    name: 'stake-low',
    breaks: 'The node is connected to 82 % of the stake of alpha-dex: the chain is still healthy.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'stake-disconnects', chain: 'alpha', percentConnected: 0.82 }] }],
    sign: { family: 'snowgauge_chain_connected_ratio', labels: { chain: 'alpha-dex' }, is: (value) => value < 0.85 },
    alert: 'SnowgaugeConnectedStakeLow',
    labels: { chain: 'alpha-dex' },
    look: 'Node, "Connected stake": between the two dashed lines.',
  },
  {
    name: 'stake-falling',
    breaks: 'Validators of beta-game go one after the other: 98 %, 97 %, and so on to 87 %.',
    injections: falling(12, (step) => [{ fault: 'stake-disconnects', chain: 'beta', percentConnected: 0.98 - step / 100 }]),
    sign: { family: 'snowgauge_chain_connected_ratio', labels: { chain: 'beta-game' }, is: (value) => value < 0.985 },
    alert: 'SnowgaugeConnectedStakeFalling',
    labels: { chain: 'beta-game' },
    set: { stakeTrendWindow: '10s', stakeAhead: '60' },
    waits: looksBack(3),
    look: 'Node, "Connected stake": a ramp, while the chain is healthy.',
  },
  {
    name: 'peers-low',
    breaks: 'Of 24 peers, 3 are left.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 3 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value < 4 },
    alert: 'SnowgaugePeersLow',
    look: 'Fleet, "Peers, the 10 fewest": this node alone.',
  },
  {
    name: 'no-messages',
    breaks: 'The node is cut off: no peer, no message.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 0 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value === 0 },
    alert: 'SnowgaugeNoMessages',
    // As in life, few peers wait longer than silence.
    set: { silenceAge: '5', peersLowFor: '15s' },
    waits: looksBack(5),
    alongside: ['SnowgaugeReadinessLost'],
    look: 'Node, "Silence": a ramp.',
  },
  {
    name: 'upgrade-near',
    breaks: 'Most of the stake expects an upgrade in an hour that this node does not know.',
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
    // The year 2100 is always less than two hundred years away.
    set: { upgradeSoon: '6311520000' },
    look: 'Node, "Upgrade in".',
  },
  {
    name: 'disk-low',
    breaks: 'Of the disk of the database, 7 % is free.',
    injections: [
      { after: 0, kind: 'node', faults: [{ fault: 'disk-fills', availablePercentage: 7, availableBytes: 40_000_000_000 }] },
    ],
    sign: { family: 'snowgauge_disk_available_ratio', is: (value) => value < 0.1 },
    alert: 'SnowgaugeDiskLow',
    look: 'Fleet, column "disk free": red. The check fails too: that is its warning, the node ends itself at 3 %.',
  },
  {
    name: 'disk-filling',
    breaks: 'The disk fills by a gigabyte a second.',
    injections: falling(15, (step) => [
      { fault: 'disk-fills', availablePercentage: 50, availableBytes: 500_000_000_000 - step * 1_000_000_000 },
    ]),
    sign: { family: 'snowgauge_disk_available_bytes', is: (value) => value <= 500_000_000_000 },
    alert: 'SnowgaugeDiskFullPredicted',
    set: { diskTrendWindow: '10s' },
    waits: looksBack(3),
    look: 'Node, "Disk full in": minutes, with half of it free.',
  },
  {
    name: 'clock-skewed',
    breaks: "The node's clock jumps ahead by a minute.",
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'clock-skewed', offset: 60 }] }],
    sign: { family: 'snowgauge_clock_skew_seconds', is: (value) => value > 10 },
    alert: 'SnowgaugeClockSkew',
    look: 'Node, "Clock skew": 60 s.',
  },
];
