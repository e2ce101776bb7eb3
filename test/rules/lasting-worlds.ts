// Worlds in which an alert that may fire for days is no reason to say nothing of what else happens meanwhile.

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
const readinessLost = { 'ReadinessLost node': 1 };

export const lastingWorlds: readonly Situation[] = [
  { alert: 'DiskLow', of: diskLow },
  { alert: 'UpgradeDeadlineNear', of: upgradeNear },
].flatMap(({ alert, of }): readonly Situation[] => [
  {
    title: `a node is not ready for what ${alert} says, and for nothing else`,
    series: scraped({ ...well(steps), ...of, ...unready(steps, 10) }),
    steps,
    fires: { [`${alert} node`]: 1 },
  },
  {
    title: `its database is closed while ${alert} fires`,
    series: scraped({ ...closed(steps, 30), ...of }),
    steps,
    fires: { [`${alert} node`]: 1, ...readinessLost },
  },
]);
