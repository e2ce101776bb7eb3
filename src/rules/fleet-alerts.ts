// Alerts on failures that nodes share, and on the fraction of time in which they are ready.

import { type Alert, dashboards } from './rule.ts';
import { listTemplate, referenceChecks, sharedChecks, theNode } from './texts.ts';

export const fleetAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeFleetFailing',
    severity: 'critical',
    scope: 'network',
    when: 'the same check fails on at least `sharedTargets` nodes and `sharedRatio` of the fleet, or on all nodes of the fleet, at least two; low stake and lost peers count as failures; once it fires, nodes that recover later than others are included for `flapWindow`; does not fire if each of these nodes has an alert on that check',
    expr: ({ set }) => `max by (${set.fleet}) (
  snowgauge:shared_failure
  and on (${set.fleet}, check)
  (snowgauge:suspect unless on (${set.identity}, check) snowgauge:explained_failure)
)`,
    for: '10m',
    summary:
      '{{ $value | humanizePercentage }} of the nodes{{ with $labels.namespace }} in {{ . }}{{ end }} fail the same check.',
    description: `Your nodes fail together. Either the cause is yours: a shared firewall, uplink, provider or version. Or it is the network: then nodes of other operators fail too.${sharedChecks}${referenceChecks}`,
    dashboard: dashboards.fleet,
  },
  {
    name: 'SnowgaugeNetworkEvent',
    severity: 'info',
    scope: 'network',
    when: 'reference nodes of other operators fail the same check as the fleet',
    expr: ({ set }) =>
      `max by (${set.fleet}) (snowgauge:shared_failure and on (${set.fleet}, check) snowgauge:reference_failure)`,
    for: '10m',
    summary:
      'The network fails with {{ $value | humanizePercentage }} of the nodes{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: `Nodes of other operators fail the same checks: the cause is likely the network.${sharedChecks}${referenceChecks}`,
    dashboard: dashboards.fleet,
  },
  {
    name: 'SnowgaugeErrorBudgetBurn',
    severity: 'warning',
    scope: 'node',
    when: 'a tag set spends its error budget 14.4 times too fast for an hour, or 6 times for 6 hours, while the node responds, and the tag set is ready, some of the time',
    // Each long window has a short one, which ends soon after the cause. The ratio needs the time before the window.
    expr: ({ set }) => {
      const burns = (window: string, times: number): string =>
        `snowgauge:ready_ratio_${window} < 1 - ${times} * (1 - ${set.objective})`;
      return `group by (${set.identity}) (
  (
    ${burns('1h', 14.4)} and ${burns('5m', 14.4)} and snowgauge:ready_ratio_5m offset 1h
    or
    ${burns('6h', 6)} and ${burns('1h', 6)} and snowgauge:ready_ratio_5m offset 6h
  )
  unless on (${set.identity}, tag_set)
  max_over_time(snowgauge:ready[15m]) == 0
)
and on (${set.identity})
max_over_time(snowgauge:up[15m]) == 1
unless on (${set.identity})
snowgauge:node_restarts > ${set.restarts}`;
    },
    for: '15m',
    summary: `${theNode} spends its error budget too fast.`,
    description: `A tag set of ${theNode} misses its objective for readiness, and no other alert on its readiness fires.${listTemplate('Ready within the last hour', { record: 'snowgauge:ready_ratio_1h', show: '{{ .Labels.tag_set }} {{ printf "%.1f" .Value }}', sort: 'tag_set' })}`,
    lasting: true,
    dashboard: dashboards.slo,
  },
];
