// Generates docs/alerts.md and the index of the runbooks from the alert table.

import { type AlertGroup, alertGroups, alerts, nodeGroup } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { type Alert, forSetting, type Recording, type Severity, scopes } from '../../src/rules/rule.ts';
import { defaults, type Setting, type Settings, settingsFrom, settingTable } from '../../src/rules/settings.ts';
import { termsOf } from '../../src/rules/terms.ts';
import { cell, code, table } from './markdown.ts';
import { routing } from './routing.ts';

/** A unique placeholder for each setting, to find where it is used. */
const marked: Settings = settingsFrom(({ name }) => `<${name}>`);

const marksIn = (text: string): readonly string[] => Array.from(text.matchAll(/<(\w+)>/g), ([, name]) => name ?? '');

/** The settings that a text depends on, also through recording rules, each of which may read those above it. */
const settingsIn = (text: string): readonly string[] => {
  let read = text;
  for (const { record, expr } of recordings.toReversed()) {
    if (new RegExp(`${record}(?!\\w)`).test(read)) read += expr(termsOf(marked));
  }
  return marksIn(read);
};

// Settings that are used everywhere.
const general = ['selector', 'fleet', 'identity', 'exporter', 'sidecarUrls', 'scrapeGap', 'keepFiring'];

export const settingsOf = (alert: Alert): readonly string[] =>
  [...new Set(settingsIn(alert.expr(termsOf(marked))))].filter((name) => !general.includes(name));

const alertRow =
  (runbooks: string) =>
  (alert: Alert): readonly string[] => [
    `[${alert.name}](${runbooks}${alert.name}.md)`,
    alert.severity,
    [alert.scope].flat().join(' or '),
    cell(alert.when),
    code(defaults[forSetting(alert)] ?? alert.for),
    settingsOf(alert).map(code).join(', '),
  ];

const groupSection = ({ about, alerts: own }: AlertGroup): string => `### ${about}

${table(['alert', 'severity', 'scope', 'fires when', 'for', 'settings'], own.map(alertRow('runbooks/')))}
`;

const inMaintenance = alerts.flatMap((one) => (one.inMaintenance === true ? [one.name] : []));

const units: Readonly<Record<Setting['kind'], string>> = {
  number: 'number',
  ratio: 'fraction',
  seconds: 'duration',
  duration: 'duration',
  for: 'duration',
  labels: 'labels',
  matchers: 'matchers',
  regex: 'regular expression',
  url: 'URL',
  counts: 'numbers by name',
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

The job of a PodMonitor is \`NAMESPACE/NAME\`. With a \`selector\` that matches no series, no alert on a node fires, only SnowgaugeAbsent.

**critical** pages somebody, **warning** is for working hours, **info** is context for other alerts. Every alert has
a [runbook](runbooks/README.md). SnowgaugeWatchdog has severity **none** and always fires: route it to a service that notifies you
when it stops arriving.

## The alerts

${[...alertGroups, nodeGroup].map(groupSection).join('\n')}
The optional group is in a separate file, \`deploy/prometheus/snowgauge-node-metrics.rules.yaml\` (\`snowgauge rules --part
node-metrics\`). Use it if Prometheus also scrapes the node's own \`/ext/metrics\`, and both have labels in common: a sidecar
and its node share \`namespace\` and \`pod\`.

## Labels of an alert

| label | value |
| --- | --- |
| \`severity\` | as above |
| \`scope\` | what the alert is about, the widest first: ${scopes.map(code).join(', ')} |
| \`cluster\`, \`namespace\`, \`target\` | the target |
| \`pod\` | its pod, if the exporter is a sidecar; in scope \`exporter\` the exporter's pod. Without a label \`pod\`, as in a plain scrape configuration, the \`instance\` of the exporter |
| \`network\` | the network of the target, if it was ever known |
| \`tag_set\`, \`chain\`, \`index\`, \`check\`, \`node_id\` | at most one of them, if the scope needs it |

Labels do not change while the alert fires: reasons, versions and numbers are in the annotations. An alert fires once for a node
if the node is at fault, and lists the tag sets that are affected; once for a tag set if only its subnet is. A closed database
under five tag sets is one alert.

## Identity

A target is identified by \`cluster\`, \`namespace\`, \`pod\` and \`target\` (setting \`identity\`). The other labels of a scrape
are ignored: if a pod returns with another address, or a Deployment of the exporter with other pods, alerts
keep their state.

- **ServiceMonitor, PodMonitor**: the defaults fit. The pod is a part of the identity if the exporter is a sidecar, that is, if the
  URL of its target is on loopback (\`sidecarUrls\`).
- **Each target scraped separately**, from the list of \`/api/v1/sd\`: its \`instance\` is the target's name, and \`exporter_instance\` that of its exporter. The
  alerts are the same as with a scrape of \`/metrics\`.
- **A plain scrape configuration**: without a label \`pod\`, the \`instance\` of a sidecar is used instead. If the discovery has another label
  for the pod, relabel it to \`pod\`.
- **A sidecar whose node has an address other than loopback**, such as \`http://avalanchego:9650\`: set \`sidecarUrls\` to match it, or give
  each target a unique name. Otherwise several such sidecars with one target name count as replicas that watch one node.
- **An exporter for many nodes**: its own pod is not part of the identity, so that its replicas report on the same targets. The series of one replica are
  enough for \`snowgauge:up\` and \`snowgauge:ready\`; SnowgaugeReplicasDisagree fires if they differ.
- **Thanos, Mimir, federation**: give each Prometheus an external label \`cluster\`, or add your label to \`identity\`, \`fleet\`, \`exporter\`
  and \`nodeJoin\`. Labels of its replicas (\`prometheus\`, \`prometheus_replica\`, \`replica\`) are ignored in every rule.
- **Your own labels**: add those of \`targets[].labels\` that you route by to \`identity\`. They must differ between targets of the same name.

\`node_id\` and \`network\` are never matched by an alert. Past readiness and peers are also recorded by NodeID, so that a renamed
target keeps them. The NodeID is in the text of an alert. The network is a label, for grouping. An exporter does not know it until its node has
responded, so the rules keep it as long as the target is known (\`snowgauge:network\`): a restart does not change an alert. Only an alert
that fires when the network of a target becomes known for the first time, or changes, starts again as another alert.

## Your site or the network

If the same check fails on \`sharedTargets\` nodes and \`sharedRatio\` of a fleet (nodes with equal labels \`fleet\`), or on both nodes of a
fleet of two, SnowgaugeFleetFailing pages once, instead of the alerts on single nodes. Those that recover later
than the others have alerts of their own after \`flapWindow\`. Low connected stake and lost peers count as failures.

Your own nodes cannot show whether the cause is the network. If nodes of other operators fail too, SnowgaugeNetworkEvent also fires. To watch such
nodes, add them as targets with \`labels: { reference: "true" }\`: no alert fires for them. They are compared with nodes of the same
\`cluster\` and \`namespace\`, so an exporter of that namespace must watch them.

## When they are suppressed

Stale data has no samples, so no alert fires on it. While a node does not respond, only SnowgaugeTargetDown
fires for it, SnowgaugeIndexIntegrityErrors, and the alerts on validators: the last reported staking period, reward and L1 balances remain valid. No alert fires on:

- one or two failed scrapes: the last samples of an exporter remain valid for \`scrapeGap\`. An alert keeps firing for \`keepFiring\`;
- a rolling restart, one missed poll, or a deployment of the exporter: \`for\` is longer than each of them;
- an idle chain: an index is expected to grow only if its chain does;
- a node that bootstraps for the first time: it was never ready, and the effects of bootstrapping do not count (bootstrapping, not yet run, unknown
  validators or stake, missing index, a disk that fills fast);
- a node that bootstraps a subnet it has just started to track, while a tag set of other subnets is ready and each chain that ran within
  \`readySeenWithin\` runs, if its target and pod keep their names: only tag sets with all checks wait for it. But it is time in which they are not ready, so
  SnowgaugeErrorBudgetBurn may fire;
- a target removed from the configuration of an exporter that keeps running, or no longer found by its discovery. But if a target is down when
  discovery no longer finds it, SnowgaugeTargetDown may fire: it counts as down for another \`scrapeGap\`, because it may be back with a new
  pod. The same holds for any target if the exporter has shards or each target is scraped separately. If an exporter discovers
  nodes, set the expected number: \`expectedTargets\`, \`expectedJobs\` or \`expectedTagSets\`. If the exporter disappears with the target, SnowgaugeTargetMissing fires for
  \`targetSeenWithin\`, unless a maintenance window is open;
- a node that is watched as another target now, with the same NodeID and network: a pod of a Deployment comes back with another name;
- a target in its maintenance window (\`snowgauge:maintenance\`), except ${inMaintenance.join(', ')}. Alerts on its exporter
  being down or gone do not fire either, and the target is excluded from SnowgaugeFleetFailing.

## Silencing

- **Planned work on a node**: open a [maintenance window](maintenance.md) before you stop it. It ends automatically, and does not count against the error budget.
- **A known problem**: create a silence in Alertmanager. The labels of an alert do not change while it fires, so a silence keeps matching:

  \`\`\`sh
  amtool silence add alertname=SnowgaugeUnhealthy namespace=validators target=node pod=validator-0 --duration=4h --comment="disk ordered"
  \`\`\`

  A silenced alert still inhibits the alerts on its effects.
- **An alert that you do not need**: leave it out with \`--without\` (in the chart \`prometheusRule.without\`), or change its threshold with \`--set\`.
  Those that it stands in for then fire: the alerts on single nodes instead of SnowgaugeFleetFailing, SnowgaugeUnhealthy and SnowgaugeCheckFailing
  instead of SnowgaugeReadinessLost, SnowgaugeTargetMissing instead of SnowgaugeExporterDown once the exporter has disappeared.
- **A check that you accept**: \`readiness.ignoreChecks\` keeps the node ready. It does not silence SnowgaugeUnhealthy and SnowgaugeCheckFailing.

Do not silence SnowgaugeWatchdog: it reports by not arriving.

${routing}
## Settings

\`snowgauge rules --set NAME=VALUE\`; repeatable. Durations are written as in Prometheus, such as \`90s\` or \`14d\`.

${table(['setting', 'default', 'unit', ''], settingTable.map(settingRow))}

## Recording rules

${table(['series', 'meaning'], recordings.map(recordingRow))}
`;

const severities: readonly Severity[] = ['critical', 'warning', 'info', 'none'];

const indexSection = (severity: Severity): string => {
  const own = alerts.filter((alert) => alert.severity === severity);
  return `## ${severity}\n\n${own.map(({ name, when }) => `- [${name}](${name}.md): ${when}`).join('\n')}\n`;
};

/** docs/runbooks/README.md */
export const runbookIndex = (): string => `# Runbooks

Generated from the tables in \`src/rules\` by \`npm run docs\`. One for each of the [alerts](../alerts.md).

In all of them \`NODE\` is the URL of the node's API, \`OTHER\` that of another node, and \`EXPORTER\` that of snowgauge. \`TARGET\`, \`NAMESPACE\` and \`POD\`
are labels of the alert; \`CONFIGMAP\`, \`SERVICE_ACCOUNT\`, \`STATEFULSET\` and \`WATCHED_NAMESPACE\` are names of your objects. For a pod with a
sidecar, forward both ports to your machine, and run \`snowgauge\` there:

\`\`\`sh
kubectl config set-context --current --namespace="$NAMESPACE"
kubectl port-forward "pod/$POD" 9650 9652 &
NODE=http://127.0.0.1:9650 EXPORTER=http://127.0.0.1:9652
\`\`\`

In mode \`fleet\` an alert on a node has no label \`pod\`: the target of a discovered pod is named \`namespace.pod\`. Forward the node from its pod, and
snowgauge from its own:

\`\`\`sh
kubectl port-forward -n "\${TARGET%%.*}" "pod/\${TARGET#*.}" 9650 &
kubectl port-forward service/snowgauge 9652 & # with shards: the pod that watches the target
\`\`\`

Do not use \`kubectl exec\` for a check: the image has no shell, and a second program in the container counts against its memory limit.

A node can be frozen: its checks have stopped, and it keeps reporting their last results, often \`healthy\`
([SnowgaugeHealthFrozen](SnowgaugeHealthFrozen.md)). The exporter detects it after three check intervals. \`snowgauge check\`, which polls once, needs
\`--max-age 2m\` for that; without it, it prints a note, and is Unknown only after 15 minutes.

How to silence an alert: [alerts.md](../alerts.md#silencing).

To see an alert fire before a real incident: \`snowgauge drill\` ([drills](../drills.md)).

${severities.map(indexSection).join('\n')}`;
