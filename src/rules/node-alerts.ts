// The optional group, for setups in which Prometheus also scrapes the node's own /ext/metrics.

import { type Alert, dashboards } from './rule.ts';
import { theNode } from './texts.ts';

export const nodeAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeDisagreesWithNode',
    severity: 'warning',
    scope: 'node',
    when: "snowgauge and the node's own metrics disagree on whether the node is healthy; set `…For` to more than two check intervals",
    // The node is healthy if all of its checks pass, whatever tag sets are configured.
    expr: ({ set }) => {
      const match = set.nodeMatch === '' ? '' : `{${set.nodeMatch}}`;
      const ours = `min by (${set.identity}) (snowgauge:check_healthy${match})`;
      const theirs = `max by (${set.nodeJoin}) (avalanche_health_checks_failing{check="health", tag="all", ${set.nodeSelector}})`;
      return `(
  ${ours} == 1
  and on (${set.nodeJoin})
  ${theirs} > 0
)
or
(
  ${ours} == 0
  and on (${set.nodeJoin})
  ${theirs} == 0
)`;
    },
    for: '2m',
    summary: `The exporter and ${theNode} disagree about its health.`,
    description: `snowgauge reports ${theNode} as {{ if eq $value 1.0 }}healthy{{ else }}unhealthy{{ end }}, but the node's own metrics disagree. One of the two is outdated or belongs to another node.`,
    lasting: true,
    dashboard: dashboards.node,
  },
];
