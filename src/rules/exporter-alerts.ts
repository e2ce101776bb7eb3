// Alerts on everything between us and the node: exporters, their targets and configuration, and the clocks of both.

import { type Alert, dashboards } from './rule.ts';
import { podOrInstance } from './terms.ts';
import { countedValue, needsRestart, theExporter, theNode } from './texts.ts';

export const exporterAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeWatchdog',
    severity: 'none',
    scope: 'exporter',
    when: 'always: if this alert stops arriving, other alerts cannot arrive either',
    expr: () => 'vector(1)',
    for: '0m',
    summary: 'Alerts of snowgauge are evaluated and delivered.',
    description: 'This alert always fires. Route it to a service that notifies you when it stops arriving.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeTargetDown',
    severity: 'critical',
    scope: 'target',
    when: 'there is no fresh health report for `staleAfter` check intervals (90 s by default)',
    expr: () => 'snowgauge:up == 0',
    for: '5m',
    summary: `Target ${theNode} is down.`,
    description: `No fresh health report from ${theNode} for staleAfter check intervals (3 by default). Most other alerts for this node are suppressed.${needsRestart}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeExporterDown',
    severity: 'critical',
    scope: 'exporter',
    when: 'Prometheus cannot scrape an exporter that it scraped within `exporterSeenWithin`, or the exporter has started with an invalid configuration, and no other one watches its targets; if the exporter then disappears, until its targets are watched again, for at most `targetSeenWithin`',
    expr: ({ set }) => `group by (${set.fleet}, pod) (
  ${podOrInstance('snowgauge:exporter_down', 'exporter_pod')}
)`,
    for: '2m',
    summary: `Exporter ${theExporter} is down.`,
    description: `Prometheus cannot scrape exporter ${theExporter}, or the exporter has no valid configuration and watches nothing. Its nodes may be healthy, but alerts on them cannot fire.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeExporterRestarting',
    severity: 'warning',
    scope: 'exporter',
    when: 'an exporter has started more than `restarts` times within `restartWindow`',
    expr: ({ set, of, perExporter }) => {
      const started = `(
    changes(process_start_time_seconds[${set.restartWindow}])
    and on (${set.exporter}, pod)
    last_over_time(${of('snowgauge_build_info')}[${set.restartWindow}])
  )`;
      return `${perExporter('max', started)} > ${set.restarts}`;
    },
    for: '0m',
    summary: `Exporter ${theExporter} is restarting: {{ $value }} times.`,
    description: `Exporter ${theExporter} has restarted {{ $value }} times within <restartWindow>: it crashes, or the kubelet kills it. Between two restarts its targets are not monitored.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeExporterOverloaded',
    severity: 'warning',
    scope: 'exporter',
    when: 'an exporter rejects requests due to event loop lag or heap use, or has rejected a scrape within 10 minutes',
    expr: ({ of, lately, perExporter }) =>
      perExporter(
        'group',
        `(
    ${lately(of('snowgauge_overloaded'))} == 1
    or
    increase(${of('snowgauge_requests_shed_total', 'kind="scrape"')}[10m]) > 0
  )`,
      ),
    for: '5m',
    summary: `Exporter ${theExporter} is overloaded.`,
    description: `Exporter ${theExporter} rejects requests due to event loop lag or heap use: first event streams, then pages, then whole scrapes, so that polls and probes continue. Alerts on its nodes lack the samples of rejected scrapes.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeAbsent',
    severity: 'critical',
    scope: 'exporter',
    when: 'Prometheus scrapes no snowgauge exporter of a fleet that had one within `exporterSeenWithin`, or none at all',
    expr: ({ of }) => `snowgauge:fleet_absent
or
(
  absent(${of('snowgauge_build_info')})
  unless on ()
  (snowgauge:fleet_absent or snowgauge:exporter_down or snowgauge:maintenance)
)`,
    for: '10m',
    summary:
      'Prometheus scrapes no snowgauge exporter{{ with $labels.namespace }} in {{ . }}{{ end }}{{ with $labels.cluster }} of cluster {{ . }}{{ end }}.',
    description:
      'Prometheus scrapes no snowgauge exporter{{ with $labels.namespace }} in {{ . }}{{ end }}{{ with $labels.cluster }} of cluster {{ . }}{{ end }}: none is deployed, or service discovery finds none. No other snowgauge alert can fire there.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeReplicasDisagree',
    severity: 'warning',
    scope: 'node',
    inMaintenance: true,
    when: 'replicas of the exporter disagree about one target: on its readiness, or on which node it is',
    expr: ({ set }) => `group by (${set.identity}) (
  snowgauge:ready != snowgauge:ready_by_all
  or
  count by (${set.identity}) (snowgauge:node_id) > 1
)`,
    for: '15m',
    summary: `Exporters disagree about ${theNode}.`,
    description: `Several exporters report on ${theNode}, and they disagree about its readiness or its NodeID: one of them cannot reach the node, or two nodes share one identity.`,
    lasting: true,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeConfigReloadFailed',
    severity: 'warning',
    scope: 'exporter',
    when: 'the last reload of the configuration failed',
    expr: ({ of, lately, perExporter }) => `${perExporter('min', lately(of('snowgauge_config_last_reload_successful')))} == 0`,
    for: '10m',
    summary: `Exporter ${theExporter} failed to reload its configuration.`,
    description: `The configuration of exporter ${theExporter} is invalid. The exporter keeps the previous one until it restarts; without one it watches nothing.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugePodLabelSyncFailing',
    severity: 'warning',
    scope: 'exporter',
    when: "the pod's labels do not match the current conditions, or the last patch failed",
    expr: ({ set, of, lately }) => `min by (${set.fleet}, pod) (${lately(of('snowgauge_pod_labels_current'))}) == 0`,
    for: '10m',
    summary: `Exporter ${theExporter} fails to sync the labels of its pod.`,
    description: `The labels ready.snowgauge.io/* of the pod of exporter ${theExporter} do not match the current conditions. Services that select by these labels may route to a node that is not ready.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeInjectionOutdated',
    severity: 'info',
    scope: 'exporter',
    when: 'the policy that injected a sidecar has changed, and its pod has not been recreated since',
    expr: ({ set, of, lately }) => `max by (${set.fleet}, pod) (${lately(of('snowgauge_injection_outdated'))}) == 1`,
    for: '1d',
    summary: `Sidecar ${theExporter} is older than its injection policy.`,
    description: `The policy that injected sidecar ${theExporter} has changed: the pod keeps the previous image or configuration until it is recreated.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeEventHistoryLost',
    severity: 'warning',
    scope: 'exporter',
    when: 'an exporter failed to write its event history, or dropped records of it, within the last hour',
    expr: ({ of, perExporter }) => {
      const grown = (family: `snowgauge_${string}`): string => `round(increase(${of(family)}[1h]))`;
      const lost = `(
    ${grown('snowgauge_event_history_write_failures_total')}
    +
    ${grown('snowgauge_event_history_dropped_records_total')}
  )`;
      return `${perExporter('max', lost)} > 0`;
    },
    for: '15m',
    summary: `Exporter ${theExporter} loses its event history.`,
    description: `Exporter ${theExporter} has failed ${countedValue('time')} to write its event history within an hour: the disk of stateDir is full, slow or read-only, or another snowgauge uses it. Current events of its nodes may be lost.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeClockSkew',
    severity: 'warning',
    scope: 'node',
    when: 'the clocks of the node and the exporter differ by more than `clockSkew`',
    expr: ({ set }) => `abs(snowgauge:clock_skew_seconds) > ${set.clockSkew}`,
    for: '15m',
    summary: `Clock of ${theNode} is off by {{ $value | humanizeDuration }}.`,
    description: `The clocks of ${theNode} and its exporter differ by {{ $value | humanizeDuration }}. A node with a wrong clock rejects blocks, and other nodes reject its blocks.`,
    dashboard: dashboards.node,
  },
];
