// Alerts on what stands between us and the node: the exporter, its configuration, its target, the two clocks.

import { type Alert, dashboards, theNode } from './rule.ts';

export const exporterAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeTargetDown',
    severity: 'critical',
    when: 'there is no fresh health report for `staleAfter` check intervals (90 s by default)',
    expr: ({ of }) => `${of('snowgauge_up')} == 0`,
    for: '5m',
    summary: `Target ${theNode} is down.`,
    description: `No fresh health report from ${theNode} for staleAfter check intervals (3 by default). Other alerts for this node are suppressed.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeExporterDown',
    severity: 'critical',
    when: 'Prometheus cannot scrape an exporter that it scraped within `exporterSeenWithin`',
    expr: ({ set, of }) => `up${set.selector === '' ? '' : `{${set.selector}}`} == 0
and ignoring (version)
last_over_time(${of('snowgauge_build_info')}[${set.exporterSeenWithin}])`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} is down.',
    description:
      'Prometheus cannot scrape exporter {{ or $labels.pod $labels.instance }} of job {{ $labels.job }}. Its nodes may be healthy, but no alert on them can fire.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeAbsent',
    severity: 'critical',
    when: 'Prometheus scrapes no snowgauge exporter at all',
    expr: ({ of }) => `absent(${of('snowgauge_build_info')})`,
    for: '10m',
    summary: 'Prometheus scrapes no snowgauge exporter.',
    description:
      'Prometheus scrapes no snowgauge exporter: none is deployed, or service discovery finds none. No other snowgauge alert can fire.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeConfigReloadFailed',
    severity: 'warning',
    when: 'the last reload of the configuration failed',
    expr: ({ of }) => `${of('snowgauge_config_last_reload_successful')} == 0`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} failed to reload its configuration.',
    description:
      'The configuration of exporter {{ or $labels.pod $labels.instance }} is invalid. The exporter keeps the previous one; its next restart will fail.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugePodLabelSyncFailing',
    severity: 'warning',
    when: "the pod's labels do not match the current conditions, or the last patch failed",
    expr: ({ of }) => `${of('snowgauge_pod_labels_current')} == 0`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} fails to sync the labels of its pod.',
    description:
      'The labels ready.snowgauge.io/* of the pod of exporter {{ or $labels.pod $labels.instance }} do not match the current conditions. Services that select by these labels may route to a node that is not ready.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeClockSkew',
    severity: 'warning',
    when: 'the clocks of the node and the exporter differ by more than `clockSkew`',
    expr: ({ set, of }) => `abs(${of('snowgauge_clock_skew_seconds')}) > ${set.clockSkew}`,
    for: '15m',
    summary: `Clock of ${theNode} is off by {{ $value | humanizeDuration }}.`,
    description: `The clocks of ${theNode} and its exporter differ by {{ $value | humanizeDuration }}. A node with a wrong clock rejects blocks, and other nodes reject its blocks.`,
    dashboard: dashboards.node,
  },
];
