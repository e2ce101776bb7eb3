// All drills, and why some alerts have none.

import type { Drill } from './drill.ts';
import { healthDrills } from './health-drills.ts';
import { indexDrills } from './index-drills.ts';
import { networkDrills } from './network-drills.ts';

export const drills: readonly Drill[] = [...healthDrills, ...networkDrills, ...indexDrills];

/** Alerts that no drill makes fire, and why. */
export const undrilled: Readonly<Record<string, string>> = {
  SnowgaugeErrorBudgetBurn: 'it averages over an hour and more',
  SnowgaugeErrorBudgetBurnSlow: 'it averages over a day',
  SnowgaugeDisagreesWithNode: "it needs the node's own /ext/metrics, which the embedded node does not serve",
  SnowgaugePodLabelSyncFailing: 'it needs a pod, and an API server that refuses to change it',
};
