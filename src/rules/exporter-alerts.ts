// Alerts on what stands between us and the node: the exporter, its configuration, its target, the two clocks.

import { type Alert, dashboards, theNode } from './rule.ts';

export const exporterAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeTargetDown',
    severity: 'critical',
    when: 'no health report has come from the node for `staleAfter` check intervals (90 s by default)',
    expr: ({ of }) => `${of('snowgauge_up')} == 0`,
    for: '5m',
    summary: `Node ${theNode} does not answer.`,
    description: `There is no fresh health report from ${theNode}. Other alerts for this node are suppressed.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeExporterDown',
    severity: 'critical',
    when: 'a scrape target that was a snowgauge within `exporterSeenWithin` cannot be scraped',
    expr: ({ set, of }) => `up${set.selector === '' ? '' : `{${set.selector}}`} == 0
and ignoring (version)
last_over_time(${of('snowgauge_build_info')}[${set.exporterSeenWithin}])`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} cannot be scraped.',
    description:
      'Prometheus gets nothing from the exporter {{ or $labels.pod $labels.instance }} of job {{ $labels.job }}. Its nodes may be healthy: nobody is looking.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeAbsent',
    severity: 'critical',
    when: 'Prometheus has no snowgauge at all',
    expr: ({ of }) => `absent(${of('snowgauge_build_info')})`,
    for: '10m',
    summary: 'There is no snowgauge to be scraped.',
    description:
      'Prometheus knows of no exporter at all: none is deployed, or none is discovered. None of the other alerts can fire.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeConfigReloadFailed',
    severity: 'warning',
    when: 'the last reload of the configuration had a mistake',
    expr: ({ of }) => `${of('snowgauge_config_last_reload_successful')} == 0`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} could not reload its configuration.',
    description:
      'The configuration of {{ or $labels.pod $labels.instance }} has a mistake. The exporter keeps the previous one until its next restart, which will fail.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugePodLabelsNotKept',
    severity: 'warning',
    when: 'the labels on the own pod are not those of the verdicts, and cannot be made so',
    expr: ({ of }) => `${of('snowgauge_pod_labels_current')} == 0`,
    for: '5m',
    summary: 'Exporter {{ or $labels.pod $labels.instance }} cannot keep the labels of its pod.',
    description:
      'The labels ready.snowgauge.io/* of the pod of {{ or $labels.pod $labels.instance }} stay as they were. Services that select by them send their clients by what was true then.',
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeClockSkew',
    severity: 'warning',
    when: "the node's clock and the exporter's are more than `clockSkew` apart",
    expr: ({ set, of }) => `abs(${of('snowgauge_clock_skew_seconds')}) > ${set.clockSkew}`,
    for: '15m',
    summary: `The clock of ${theNode} is off.`,
    description: `The clocks of ${theNode} and of its exporter are {{ $value | humanizeDuration }} apart. A node whose clock is wrong rejects blocks, and its own are rejected.`,
    dashboard: dashboards.node,
  },
];
