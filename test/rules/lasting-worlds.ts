// Worlds of troubles that last: an alert must not suppress others for days, change into another, or start again for ever.

import type { Situation } from './case.ts';
import { dip, hold, inTurn, losing, ready, scraped, well } from './series.ts';
import { closed, failing, tracksAnother, unready } from './world-parts.ts';

const steps = 90;
const diskLow = {
  ...failing('diskspace', ['disk', 'disk'], steps, 10, ['all', 'my-l1']),
  snowgauge_disk_available_ratio: hold(0.07, steps),
};
const upgradeNear = {
  ...failing('futureupgrade', ['upgrade', 'upgrade'], steps, 10, ['all', 'my-l1']),
  snowgauge_upgrade_timestamp_seconds: hold(172_800, steps),
};
const both = { ...diskLow, ...upgradeNear };
const days = 210;
const inDays = { steps: days, seconds: 600 };
const long = 180;
/** After an hour. */
const repeated = (values: string, before: number): string =>
  inTurn(hold(before, 60), ...Array.from({ length: 20 }, () => values));
const fires = { 'DiskLow node': 1, 'UpgradeDeadlineNear node': 1 };

export const lastingWorlds: readonly Situation[] = [
  {
    title: 'a node is not ready only because of DiskLow and UpgradeDeadlineNear',
    series: scraped({ ...well(steps), ...both, ...unready(steps, 10) }),
    steps,
    fires,
  },
  {
    title: 'its database is closed while DiskLow and UpgradeDeadlineNear fire',
    series: scraped({ ...closed(steps, 30), ...both }),
    steps,
    fires: { ...fires, 'ReadinessLost node': 1 },
  },
  {
    title: 'its database is closed, without ReadinessLost',
    without: ['SnowgaugeReadinessLost'],
    series: scraped(closed(steps, 10)),
    steps,
    fires: { 'Unhealthy node': 1, 'CheckFailing node': 1 },
    ends: { 'CheckFailing node': 1 },
  },
  {
    title: 'its database is closed for 33 hours',
    series: scraped({ ...well(days, 600), ...closed(days, 10) }),
    ...inDays,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'it bootstraps again, which takes 33 hours',
    series: scraped({
      ...well(days, 600),
      ...unready(days, 10),
      snowgauge_bootstrapping_subnets: dip(0, 1, days, 10),
    }),
    ...inDays,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'it starts to track another subnet, which bootstraps for 33 hours',
    series: scraped({ ...well(days, 600), ...tracksAnother(days, 10) }),
    ...inDays,
    fires: { 'BootstrappingWithoutProgress node': 1 },
    steady: true,
  },
  {
    title: 'it responds for three minutes of six, and does not restart',
    series: scraped({ ...well(long), ...ready(repeated('1x2 0x2', 1)), snowgauge_up: repeated('1x2 0x2', 1) }),
    steps: long,
    fires: { 'ErrorBudgetBurn node': 1 },
  },
  {
    title: 'its database is closed, and it does not respond for two minutes of twelve',
    series: scraped({ ...closed(long, 60), snowgauge_up: repeated('1x9 0x1', 1) }),
    steps: long,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'it is not ready, and its checks stop for two minutes of twelve',
    series: scraped({ ...well(long), ...unready(long, 60), snowgauge_health_frozen: repeated('0x9 1x1', 0) }),
    steps: long,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'its machine reboots every 15 minutes, so that it is never ready',
    series: losing(
      scraped({ ...well(long), ...unready(long, 60), snowgauge_up: repeated('0x4 1x9', 1) }),
      (step) => step >= 60 && step % 15 < 3,
    ),
    steps: long,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
];
