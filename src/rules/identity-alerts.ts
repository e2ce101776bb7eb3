// Alerts on the identity of a target's node, and on its version. Only the validator's key earns: without it a healthy node earns nothing.

import { type Alert, dashboards } from './rule.ts';
import { theNode } from './texts.ts';

const sameNodeId = `{{ with printf "snowgauge:node_id{node_id=%q}" $labels.node_id | query | sortByLabel "pod" }} Targets:{{ range . }} {{ .Labels.target }}{{ with .Labels.pod }} ({{ . }}){{ end }}{{ end }}.{{ end }}`;

export const identityAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeNodeIdUnexpected',
    severity: 'critical',
    scope: 'identity',
    inMaintenance: true,
    when: 'the NodeID of the node is not the `nodeId` configured for its target',
    expr: () => 'snowgauge:node_id_expected == 0',
    for: '1m',
    summary: `${theNode} has another NodeID than expected.`,
    description: `${theNode} is not the node that the configuration expects: its staking key was lost or replaced, or the target leads to another node. Meanwhile the validator earns nothing.`,
    explains: ['SnowgaugeNotValidator'],
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeNodeIdChanged',
    severity: 'warning',
    scope: 'identity',
    inMaintenance: true,
    when: 'a target has had several NodeIDs within `nodeIdWindow`, one after the other, and no NodeID is configured',
    // Uses the history in Prometheus: an exporter that was replaced with its node does not know of a change.
    expr: ({ set }) => `count by (${set.identity}) (last_over_time(snowgauge:node_id[${set.nodeIdWindow}])) > 1
unless on (${set.identity})
count by (${set.identity}) (snowgauge:node_id) > 1
unless on (${set.identity})
snowgauge:node_id_expected`,
    for: '0m',
    summary: `${theNode} has another NodeID than before.`,
    description: `${theNode} has had {{ $value }} NodeIDs within <nodeIdWindow>: its staking key was lost or replaced, or the target leads to another node. If it was a validator, it earns nothing meanwhile. This alert resolves by itself.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeNodeIdDuplicate',
    severity: 'critical',
    scope: 'network',
    inMaintenance: true,
    when: 'several node processes in one network have the same NodeID at the same time; a process that two exporters watch counts once',
    expr: ({ set }) => `group by (${set.fleet}, node_id) (
  snowgauge:node_id
  and on (${set.identity})
  snowgauge:run_mark
  and on (node_id)
  (
    snowgauge:node_id_processes
    > on (node_id)
    (snowgauge:node_id_networks or on (node_id) group by (node_id) (snowgauge:node_id))
  )
)`,
    for: '15m',
    summary: 'Several nodes run with {{ $labels.node_id }}.',
    description: `The staking key of {{ $labels.node_id }} is on several machines, and a node runs on each. Peers connect to one of them at a time: the validator loses uptime.${sameNodeId}`,
    dashboard: dashboards.fleet,
  },
  {
    name: 'SnowgaugeVersionBehind',
    severity: 'warning',
    scope: 'node',
    when: 'a network upgrade that most of the stake or the node itself knows of is less than `upgradeSoon` away, and more than `peersNewer` of the peers run a newer version than the node, and check futureupgrade does not fail yet',
    // The upgrade that most of the stake expects may be the previous one, and the node's release may not know the next one.
    // The earlier of the two that is not past.
    expr: ({ set }) => `(
  snowgauge:upgrade_timestamp > time() < snowgauge:upgrade_scheduled
  or
  snowgauge:upgrade_scheduled > time()
  or
  snowgauge:upgrade_timestamp > time()
) - time() < ${set.upgradeSoon}
and
snowgauge:peers_newer_version / snowgauge:peers > ${set.peersNewer}
unless on (${set.identity})
snowgauge:check_healthy{check="futureupgrade"} == 0`,
    for: '15m',
    summary: `${theNode} runs an older version than its peers, and an upgrade is due in {{ $value | humanizeDuration }}.`,
    description: `A network upgrade is due in {{ $value | humanizeDuration }}, and more than {{ <peersNewer> | humanizePercentage }} of the peers of ${theNode} run a newer version. Its version may lack a fix that the upgrade requires.`,
    lasting: true,
    dashboard: dashboards.node,
  },
];
