// docs/alerts.md and the index of the runbooks, from the table of alerts.

import { type AlertGroup, alertGroups, alerts, nodeGroup } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { type Alert, forSetting, type Recording, type Severity } from '../../src/rules/rule.ts';
import { defaults, type Setting, type Settings, settingsFrom, settingTable } from '../../src/rules/settings.ts';
import { termsOf } from '../../src/rules/terms.ts';
import { cell, code, table } from './markdown.ts';

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

**critical** is worth waking somebody, **warning** is for the working day, **info** is good to know while looking. Every alert has
a [runbook](runbooks/README.md).

## The alerts

${[...alertGroups, nodeGroup].map(groupSection).join('\n')}
The optional group stands in a file of its own, \`deploy/prometheus/snowgauge-node-metrics.rules.yaml\` (\`snowgauge rules --part
node-metrics\`). It is for where Prometheus scrapes the node's own \`/ext/metrics\` too, and both have labels in common: a sidecar
and its node share \`namespace\` and \`pod\`.

An alert on a fact of the node fires once for the node, and its description lists the tag sets that the check counts for.
SnowgaugeUnhealthy, SnowgaugeReadinessLost and SnowgaugeUnknownTag are about one tag set each. The labels of \`targets[].labels\`
stand on every alert about that target: route by them.

## When they are suppressed

A source that fails gives no samples: an alert is true now, or it does not fire. While a node does not answer, SnowgaugeTargetDown
alone fires for it. Nothing fires on:

- a rolling restart, one missed poll, or a deploy of the exporter: \`for\` is longer than each of them;
- an idle chain: nothing is expected to grow but what others see growing;
- a node that bootstraps for the first time: its reasons (bootstrapping, not yet run, no validators known, stake not known, index
  not there yet, a disk that fills fast) do not count until it is done, and it was never ready before;
- a target removed from the configuration: its series end, and no alert is about a series that is not there, but
  SnowgaugeAbsent, which is about all of them;
- what the whole network sees: a failure for one of \`sharedReasons\`, little connected stake, or a fall in peers counts as nobody's
  fault where at least \`sharedTargets\` nodes and \`sharedRatio\` of all see it, among nodes that agree in the labels \`fleet\`. One
  SnowgaugeNetworkEvent says it instead, for your information. Nodes of several networks in one job need a label that
  distinguishes them, such as one of \`targets[].labels\`; in a fleet of fewer than \`sharedTargets\` nodes, each node is alerted on by itself.

## Settings

\`snowgauge rules --set NAME=VALUE\`, as often as needed. Durations are in Prometheus' spelling.

${table(['setting', 'default', 'unit', ''], settingTable.map(settingRow))}

## Recording rules

${table(['series', 'what it says'], recordings.map(recordingRow))}
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
