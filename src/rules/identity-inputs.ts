// Inputs of the rules on the identity of a target's node, its version, and its process.

import type { Recording, RuleInput } from './rule.ts';

export const identityInputs: readonly RuleInput[] = [
  {
    record: 'snowgauge:node_id_expected',
    help: '1 if the node has the NodeID that the configuration expects, 0 if it has another.',
    by: 'min',
    family: 'snowgauge_target_node_id_expected',
  },
  {
    record: 'snowgauge:version',
    help: 'Always 1, with the version of the node if it is known.',
    by: 'max',
    family: 'snowgauge_target_info',
    labels: ['version'],
    matchers: ['version!=""'],
  },
  {
    record: 'snowgauge:run_mark',
    help: 'Completion time of a reference check, identical for all exporters of the same node process.',
    by: 'max',
    family: 'snowgauge_health_run_mark_timestamp_seconds',
  },
  {
    record: 'snowgauge:peers_newer_version',
    help: 'Peers that run a newer version than the node.',
    by: 'max',
    family: 'snowgauge_peers_newer_version',
  },
  {
    record: 'snowgauge:upgrade_scheduled',
    help: 'Time of the next network upgrade that the node itself has scheduled.',
    by: 'min',
    family: 'snowgauge_upgrade_scheduled_timestamp_seconds',
  },
];

export const nodeIdRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:node_id_processes',
    help: 'Number of processes with the same NodeID at the same time, across all exporters: processes are distinct if their health check runs differ.',
    expr: ({ withNodeId }) => `count by (node_id) (
  count_values by (node_id) ("run",
    ${withNodeId('snowgauge:run_mark')}
  )
)`,
  },
  {
    record: 'snowgauge:node_id_networks',
    help: 'Number of known networks of the nodes with a NodeID. A key may be used once in each of several networks.',
    expr: ({ withNodeId }) => `count by (node_id) (
  group by (node_id, network) (
    ${withNodeId('snowgauge:network{network!=""}')}
  )
)`,
  },
];
