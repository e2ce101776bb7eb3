// Worlds in which nodes of a fleet fail together: one alert on the fleet or one for each node, never both, and never none.

import type { Situation } from './case.ts';
import { check, dip, healthy, hold, inTurn, ready, reason, type Series, since, well } from './series.ts';
import { closed, failing, pods } from './world-parts.ts';

const steps = 48;
const every8 = (values: string): string => Array.from({ length: steps / 8 }, () => values).join(' ');
const sometimes = every8('1x3 0x3');

/** From minute 10 on, the P-Chain fails and the node is not ready. */
const recovering = (at: number, all: number): Series => ({
  ...well(all),
  ...healthy(dip(1, 0, all, 10, at - 10), ['all']),
  ...ready(dip(1, 0, all, 10, at - 10), ['all']),
  ...check('P', dip(1, 0, all, 10, at - 10)),
  ...reason('P', 'block-processing', inTurn(hold('_', 10), hold(1, at - 10), 'stale')),
  ...since('P', inTurn(hold('_', 10), hold(600, at - 10), 'stale')),
});

export const fleetWorlds: readonly Situation[] = [
  {
    title: 'a node stays unready, and the same check of the only other node fails every other four minutes',
    series: pods(
      {
        ...well(steps),
        ...ready(dip(1, 0, steps, 4), ['all']),
        ...failing('P', ['block-processing', 'block-processing'], steps, 4, ['all']),
      },
      {
        ...well(steps),
        ...healthy(sometimes, ['all']),
        ...ready(sometimes, ['all']),
        ...check('P', sometimes),
        ...reason('P', 'block-processing', every8('stale _x3 1x3')),
      },
    ),
    steps,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'the disks of both nodes are low, and an upgrade is near that neither supports',
    series: pods(
      ...[0, 1].map(() => ({
        ...well(30),
        ...failing('diskspace', ['disk', 'disk'], 30, 5, ['all', 'my-l1']),
        ...failing('futureupgrade', ['upgrade', 'upgrade'], 30, 5, ['all', 'my-l1']),
        snowgauge_disk_available_ratio: hold(0.07, 30),
        snowgauge_upgrade_timestamp_seconds: hold(172_800, 30),
      })),
    ),
    steps: 30,
    fires: { 'DiskLow node': 2, 'UpgradeDeadlineNear node': 2 },
  },
  {
    title: 'six nodes fail together for more than an hour, and recover one every 15 minutes',
    series: pods(...[90, 105, 120, 135, 150, 165].map((at) => recovering(at, 180))),
    steps: 180,
    fires: { 'FleetFailing network': 1 },
    ends: {},
    steady: true,
  },
  {
    title: 'four nodes fail together, and one of them does not recover with the others',
    series: pods(recovering(50, 150), recovering(50, 150), recovering(50, 150), recovering(150, 151)),
    steps: 150,
    fires: { 'FleetFailing network': 1, 'ReadinessLost node': 1 },
    ends: { 'ReadinessLost node': 1 },
  },
  {
    title: 'the databases of both nodes are closed, without FleetFailing',
    without: ['SnowgaugeFleetFailing'],
    series: pods(closed(40, 10), closed(40, 10)),
    steps: 40,
    fires: { 'ReadinessLost node': 2 },
  },
];
