// All alerts by group. Groups are only defined here.

import { discoveryAlerts } from './discovery-alerts.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { fleetAlerts } from './fleet-alerts.ts';
import { healthAlerts } from './health-alerts.ts';
import { identityAlerts } from './identity-alerts.ts';
import { indexAlerts } from './index-alerts.ts';
import { networkAlerts } from './network-alerts.ts';
import { nodeAlerts } from './node-alerts.ts';
import { presenceAlerts } from './presence-alerts.ts';
import type { Alert } from './rule.ts';
import { shardAlerts } from './shard-alerts.ts';
import { validatorAlerts } from './validator-alerts.ts';

export interface AlertGroup {
  readonly name: string;
  /** The topic of its alerts. */
  readonly about: string;
  readonly alerts: readonly Alert[];
}

export const alertGroups: readonly AlertGroup[] = [
  {
    name: 'snowgauge-exporter',
    about: 'The exporter and its connection to the node',
    alerts: [...exporterAlerts, ...presenceAlerts],
  },
  { name: 'snowgauge-discovery', about: 'The discovery of targets', alerts: discoveryAlerts },
  { name: 'snowgauge-shards', about: 'Shards', alerts: shardAlerts },
  { name: 'snowgauge-health', about: "The node's health", alerts: healthAlerts },
  { name: 'snowgauge-fleet', about: 'Fleet and error budget', alerts: fleetAlerts },
  { name: 'snowgauge-network', about: 'Network, upgrades and disk', alerts: networkAlerts },
  { name: 'snowgauge-identity', about: 'Identity and version of the node', alerts: identityAlerts },
  { name: 'snowgauge-validator', about: 'Rewards of validators, and balances of L1 validators', alerts: validatorAlerts },
  { name: 'snowgauge-index', about: 'The container indexes', alerts: indexAlerts },
];

/** In a separate file, because it needs metrics of the node that not everybody scrapes. */
export const nodeGroup: AlertGroup = {
  name: 'snowgauge-node-metrics',
  about: "The node's own metrics (optional)",
  alerts: nodeAlerts,
};

export const alerts: readonly Alert[] = [...alertGroups, nodeGroup].flatMap((group) => group.alerts);
