// All drills, and why some alerts have none.

import type { Drill } from './drill.ts';
import { fleetDrills } from './fleet-drills.ts';
import { healthDrills } from './health-drills.ts';
import { identityDrills } from './identity-drills.ts';
import { indexDrills } from './index-drills.ts';
import { networkDrills } from './network-drills.ts';
import { validatorDrills } from './validator-drills.ts';

export const drills: readonly Drill[] = [
  ...identityDrills,
  ...validatorDrills,
  ...healthDrills,
  ...networkDrills,
  ...indexDrills,
  ...fleetDrills,
];

/** Alerts that no drill makes fire, and why. */
export const undrilled: Readonly<Record<string, string>> = {
  SnowgaugeChainBehind: 'it needs two nodes that know which network they share',
  SnowgaugeDisagreesWithNode: "it needs the node's own /ext/metrics, which the embedded node does not serve",
  SnowgaugeDiscoveredTargetsDropped: 'drills do not use discovery',
  SnowgaugeDiscoveryFailing: 'drills do not use discovery',
  SnowgaugeErrorBudgetBurn: 'it needs an hour',
  SnowgaugeEventHistoryLost: 'it needs a full disk',
  SnowgaugeExporterOverloaded: 'it needs a process short of CPU or memory',
  SnowgaugeExporterRestarting: 'it needs a kubelet that restarts the exporter',
  SnowgaugeInjectionOutdated: 'it needs a day, and an injected sidecar',
  SnowgaugeNetworkEvent: 'it needs nodes of other operators',
  SnowgaugePodLabelSyncFailing: 'it needs a pod, and an API server that rejects the patch',
  SnowgaugeShardMissing: 'it needs several shards',
  SnowgaugeShardWatchFailing: 'it needs a pod, and an API server that rejects the watch',
  SnowgaugeShardsDisagree: 'it needs several shards',
  SnowgaugeWatchdog: 'it always fires',
};
