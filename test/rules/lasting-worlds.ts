// Worlds in which an alert that may fire for days must not suppress other alerts.

import type { Situation } from './case.ts';
import { hold, scraped, well } from './series.ts';
import { closed, failing, unready } from './world-parts.ts';

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
];
