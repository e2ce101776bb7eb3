// Alerts on the discovery of targets: sources that fail, and discovered targets that are not watched.

import { type Alert, dashboards } from './rule.ts';
import { countedValue, theExporter } from './texts.ts';

export const discoveryAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeDiscoveryFailing',
    severity: 'warning',
    scope: 'exporter',
    when: 'the last refresh of a source of discovery failed',
    expr: ({ of, lately, perExporter }) =>
      `${perExporter('min', lately(of('snowgauge_discovery_last_refresh_successful')), ['source'])} == 0`,
    for: '10m',
    summary: `Discovery {{ $labels.source }} of exporter ${theExporter} fails.`,
    description: `Exporter ${theExporter} cannot refresh the targets of {{ $labels.source }}. It keeps the last list: new nodes are not watched, and removed ones are reported down.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeDiscoveredTargetsDropped',
    severity: 'warning',
    scope: 'exporter',
    when: 'targets were discovered and are not watched: they refuse connections, have no address yet, are invalid, collide, or are too many',
    expr: ({ of, lately, perExporter }) =>
      `${perExporter('max', lately(of('snowgauge_discovery_dropped_targets')), ['source', 'reason'])} > 0`,
    for: '15m',
    summary: `Discovered targets of exporter ${theExporter} are not watched: {{ $value }} {{ $labels.reason }}.`,
    description: `Exporter ${theExporter} does not watch ${countedValue('target')} that it discovered by {{ $labels.source }}. {{ if eq $labels.reason "refused" }}Every connection was refused: such a node is down, or it listens on 127.0.0.1 (the default) and needs --http-host.{{ else if eq $labels.reason "pending" }}A pod without an address is not scheduled, or does not start.{{ else if eq $labels.reason "limit" }}There are more than discovery.maxTargets.{{ else if eq $labels.reason "duplicate" }}Another target has the same name or URL.{{ else }}An address, a name, or an annotation or label of a pod is invalid.{{ end }} The log of the exporter names them.`,
    dashboard: dashboards.exporter,
  },
];
