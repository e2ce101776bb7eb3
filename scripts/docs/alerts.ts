// docs/alerts.md and the index of the runbooks, from the table of alerts.

import { type AlertGroup, alertGroups, alerts, nodeGroup } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { type Alert, forSetting, type Recording, type Severity } from '../../src/rules/rule.ts';
import { defaults, type Setting, type Settings, settingsFrom, settingTable } from '../../src/rules/settings.ts';
import { termsOf } from '../../src/rules/terms.ts';
import { cell, code, table } from './markdown.ts';
import { routing } from './routing.ts';

/** Every setting as a mark that nothing else contains, to see where it goes. */
const marked: Settings = settingsFrom(({ name }) => `<${name}>`);

const marksIn = (text: string): readonly string[] => Array.from(text.matchAll(/<(\w+)>/g), ([, name]) => name ?? '');

/** Names of the settings that a text depends on, through recording rules too. */
const settingsIn = (text: string): readonly string[] => {
  const through = recordings.filter(({ record }) => text.includes(record)).map(({ expr }) => expr(termsOf(marked)));
  return [...marksIn(text), ...through.flatMap(settingsIn)];
};

// These two stand everywhere.
const general = ['selector', 'fleet'];

export const settingsOf = (alert: Alert): readonly string[] =>
  [...new Set(settingsIn(alert.expr(termsOf(marked))))].filter((name) => !general.includes(name));

const alertRow =
  (runbooks: string) =>
  (alert: Alert): readonly string[] => [
    `[${alert.name}](${runbooks}${alert.name}.md)`,
    alert.severity,
    cell(alert.when),
    code(defaults[forSetting(alert)] ?? alert.for),
    settingsOf(alert).map(code).join(', '),
  ];

const groupSection = ({ about, alerts: own }: AlertGroup): string => `### ${about}

${table(['alert', 'severity', 'fires when', 'for', 'settings'], own.map(alertRow('runbooks/')))}
`;

const units: Readonly<Record<Setting['kind'], string>> = {
  number: 'number',
  ratio: 'fraction',
  seconds: 'seconds',
  duration: 'duration',
  for: 'duration',
  labels: 'labels',
  matchers: 'matchers',
  regex: 'regular expression',
  url: 'URL',
};

const settingRow = ({ name, value, kind, help }: Setting): readonly string[] => [
  code(name),
  value === '' ? 'empty' : code(value.replaceAll('|', '\\|')),
  units[kind],
  cell(help),
];

const recordingRow = ({ record, help }: Recording): readonly string[] => [code(record), cell(help)];

/** docs/alerts.md */
export const alertsDoc = (): string => `# Alerts

Generated from the tables in \`src/rules\` by \`npm run docs\`. Do not edit: a test compares it with them.

\`deploy/prometheus/snowgauge.rules.yaml\` holds all alerts but the optional group, each setting at its default:

\`\`\`yaml
rule_files: [snowgauge.rules.yaml]
\`\`\`

With other settings, or as an object of the Prometheus Operator:

\`\`\`sh
snowgauge rules --set peersLow=100 --set 'selector=job="snowgauge"' > snowgauge.rules.yaml
snowgauge rules --without SnowgaugeIndexIncomplete --kubernetes snowgauge | kubectl apply -f -
\`\`\`

**critical** pages somebody, **warning** is for working hours, **info** is context for other alerts. Every alert has
a [runbook](runbooks/README.md).

## The alerts

${[...alertGroups, nodeGroup].map(groupSection).join('\n')}
The optional group is in a separate file, \`deploy/prometheus/snowgauge-node-metrics.rules.yaml\` (\`snowgauge rules --part
node-metrics\`). Use it if Prometheus also scrapes the node's own \`/ext/metrics\`, and both have labels in common: a sidecar
and its node share \`namespace\` and \`pod\`.

An alert on a check fires once per node, and its description lists the tag sets that the check counts for.
SnowgaugeUnhealthy, SnowgaugeReadinessLost and SnowgaugeUnknownTag fire per tag set. Every alert on a target has its \`targets[].labels\`:
use them for routing.

## When they are suppressed

Stale data has no samples, so no alert fires on it. While a node does not respond, only SnowgaugeTargetDown
fires for it. No alert fires on:

- a rolling restart, one missed poll, or a deploy of the exporter: \`for\` is longer than each of them;
- an idle chain: an index is expected to grow only if its chain does;
- a node that bootstraps for the first time: its reasons (bootstrapping, not yet run, no validators known, stake not known, index
  not there yet, a disk that fills fast) do not count while it bootstraps, and it was never ready before;
- a target removed from the configuration: its series end, and only SnowgaugeAbsent fires on missing series, if all
  are missing;
- a network event: at least \`sharedTargets\` nodes and \`sharedRatio\` of the fleet (nodes with equal labels \`fleet\`) have a failure for
  one of \`sharedReasons\`, little connected stake, or a drop in peers. One SnowgaugeNetworkEvent fires instead. Nodes of several networks in one job need a label that
  distinguishes them, such as one of \`targets[].labels\`; in a fleet of fewer than \`sharedTargets\` nodes, alerts fire for each node.

${routing}
## Settings

\`snowgauge rules --set NAME=VALUE\`; repeatable. Durations are written as in Prometheus.

${table(['setting', 'default', 'unit', ''], settingTable.map(settingRow))}

## Recording rules

${table(['series', 'meaning'], recordings.map(recordingRow))}
`;

const severities: readonly Severity[] = ['critical', 'warning', 'info'];

const indexSection = (severity: Severity): string => {
  const own = alerts.filter((alert) => alert.severity === severity);
  return `## ${severity}\n\n${own.map(({ name, when }) => `- [${name}](${name}.md): ${when}`).join('\n')}\n`;
};

/** docs/runbooks/README.md */
export const runbookIndex = (): string => `# Runbooks

Generated from the tables in \`src/rules\` by \`npm run docs\`. One for each of the [alerts](../alerts.md).

In all of them \`NODE\` is where the node serves its API and \`EXPORTER\` where snowgauge listens. Of a pod with a sidecar both are
brought to your own machine, and \`snowgauge\` runs there:

\`\`\`sh
kubectl port-forward "$POD" 9650 9652 &
NODE=http://127.0.0.1:9650 EXPORTER=http://127.0.0.1:9652
\`\`\`

Not by \`kubectl exec\`: the image has no shell, and a second program in the container counts against its memory limit.

To see an alert fire before a real incident: \`snowgauge drill\` ([drills](../drills.md)).

${severities.map(indexSection).join('\n')}`;
