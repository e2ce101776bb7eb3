// Generates docs/metrics.md from the metric tables.

import { outcomeKinds } from '../../src/client/outcome.ts';
import { definitions } from '../../src/metrics/families.ts';
import { maxLabelLength } from '../../src/metrics/labels.ts';
import { maxDepth, maxUnmappedFields } from '../../src/metrics/message.ts';
import { reasons } from '../../src/protocol/reasons.ts';
import { maxChecks } from '../../src/sources/health/checks.ts';
import { maxMemberships } from '../../src/sources/health/tag-set-families.ts';
import { maxBehind, maxContainers } from '../../src/sources/indexes/tail.ts';
import { joins } from './joins.ts';
import { cell, code, table } from './markdown.ts';

type Defined = (typeof definitions)[number];

const familyRow = (one: Defined): readonly string[] => [
  code(one.name),
  one.type,
  one.labels.map(code).join(', '),
  one.unit,
  cell(one.help),
  cell(one.source),
  one.deprecated === undefined
    ? (one.stability ?? 'stable')
    : `deprecated since ${one.deprecated.since}: ${code(one.deprecated.use)}`,
];

const nodeRow = (one: Defined): readonly string[] => [code(one.name), cell(one.nodeMetric ?? '')];

type Promised = Pick<Defined, 'type' | 'labels' | 'unit' | 'deprecated'> & Required<Pick<Defined, 'stability'>>;

/** The promised properties of a family, saved per release for comparison with the next one. */
export const metricsContract = (): Readonly<Record<string, Promised>> =>
  Object.fromEntries(
    definitions.map(({ name, type, labels, unit, stability = 'stable', deprecated }) => [
      name,
      { type, labels, unit, stability, ...(deprecated && { deprecated }) },
    ]),
  );

const example = ([question, expr]: readonly [string, string]): string => `${question}\n\n\`\`\`promql\n${expr}\n\`\`\``;

/** The whole document. */
export const metricsDoc = (): string => `# Metrics

Generated from the tables in \`src/metrics\` and \`src/sources\` by \`npm run docs\`. Do not edit: a test compares it with them.

\`/metrics\` is served as text 0.0.4 and as OpenMetrics 1.0, by \`Accept\`, and compressed with gzip by \`Accept-Encoding\`.

${table(['family', 'type', 'labels', 'unit', 'help', 'source', 'stability'], definitions.map(familyRow))}

In addition, \`process_*\` and \`nodejs_*\` of the exporter process, collected by prom-client at most once a second.

## What stability means

As in kube-state-metrics:

- **stable**: name, type, labels, unit and meaning do not change. A replacement is added next to the old family, whose HELP then begins with
  \`(Deprecated since VERSION, use FAMILY)\`. The old family is removed one release later at the earliest. A test compares the families with
  those of the last release.
- **beta** (ALPHA in kube-state-metrics): may change in any minor release. The changelog lists each change.

## One target at a time

| path | |
|---|---|
| \`/metrics\` | everything. \`?target=NAME\` selects a target, \`?name[]=FAMILY\` a family; both are repeatable. 404 if one of the targets is not configured, 400 if no family has any of these names |
| \`/targets/NAME/metrics\` | the families of one target, or those of \`?name[]=\`; 404 if it is not configured |
| \`/exporter/metrics\` | the families of the exporter and its process, or those of \`?name[]=\` |
| \`/api/v1/sd\` | these paths for Prometheus's \`http_sd_configs\` ([api.md](api.md#service-discovery)) |

An [overloaded](footprint.md#overload) exporter may refuse \`/metrics\`, but never the paths of a single target.

\`metrics.include\` and \`metrics.exclude\` select the exported families, including process metrics and those of \`/probe\`. A pattern that
matches no family makes the configuration invalid. Alerts, recording rules and panels that read an excluded family do not work.

A target is rendered once, after its poll. A scrape concatenates the rendered targets, so scraping many targets is cheap;
\`npm run bench -- fleet\` measures it.

## Tag sets and joins

Metrics of a node have the label \`target\`, and \`check\`, \`chain\` or \`index\` if they are about one. They come from the report without
tags and are exported once, whatever the number of tag sets. A tag set has its own health, conditions, number of failing checks, and list
of checks, \`snowgauge_tag_set_check_info\`. Join it with the metrics of the checks:

${Object.entries(joins).map(example).join('\n\n')}

The recording rules in \`deploy/prometheus\` contain common joins. \`targets[].labels\` of the configuration are added to every series of the
target, and to none of the exporter.

## Which samples are exported

- Timestamps are exported instead of ages: use \`time() - x\`. Timestamps of the node are by the node clock;
  \`snowgauge_clock_skew_seconds\` is the difference between the two clocks.
- Stale data is not exported. A tag set or an index without a response for \`staleAfter\` check intervals has no samples.
  Kept are all counters and histograms, the families of the exporter, \`snowgauge_up\`, \`snowgauge_target_info\`,
  \`snowgauge_target_node_id_expected\`, \`snowgauge_last_report_timestamp_seconds\`, \`snowgauge_target_condition\`,
  \`snowgauge_health_frozen\`, \`snowgauge_health_frozen_suspect\` (unless polls fail) and \`snowgauge_unplaced_checks\`.
  The families about validators are requested every minute, and those from /ext/info every ten minutes: they expire after \`staleAfter\` times as long, by default after 3 and 30 minutes.
- While requests for an index fail, the last response expires, but \`snowgauge_index_state\` remains: its state is \`error\`.
- Before its first poll, as after a restart of the exporter, a target has no \`snowgauge_up\` and no \`snowgauge_target_condition\`: it
  is not known to be down.
- Each condition has three series, one for each status. Exactly one of them is 1.
- A check or chain that is no longer in the report has no samples, except for its transitions.
- A counter begins at 0 for every known label set. \`snowgauge_polls_total\` starts with the outcome \`ok\`; other outcomes start with
  their first request. A family without samples is omitted.
- Error texts are never labels. They are on the status page and in \`/api/v1/status\`.
- \`reason\` is one of ${reasons.map(code).join(', ')}. If
  an error has several, the first in this order.
- \`outcome\` is one of ${outcomeKinds.map(code).join(', ')}.

## How an index is watched

- Against its chain. The report contains the last block of the chain, and snowgauge looks up this block in the index, so the time between the
  two requests causes no drift. If the index does not have the block in two polls in a row, they disagree, and the drift is counted from the
  last container of the index. Nothing is compared at height 0, while the chain bootstraps, or for X/tx and X/vtx, which contain no
  blocks; an empty index only has a drift.
- Along its tail. Verification starts at the last accepted container and covers every new one, at most ${maxContainers} in a poll. Each must follow
  its predecessor in index and time, and its id must match its bytes (on the C-Chain from the first container that does). The index of the
  last container is cross-checked by its id. Each error is counted once, by kind, and logged with its index. If a container cannot be
  fetched, verification continues at the last accepted container. It also restarts there, without an error, when the index became shorter,
  another node responds, or it is more than ${maxBehind} containers behind. \`snowgauge index verify\` verifies a whole index.
- An index takes one request per poll if nothing has changed, and at most six otherwise.

## Limits

- ${maxChecks} checks of a report: failing checks first, then by name. \`snowgauge_checks_dropped\` is the number of the others.
- ${maxChecks} checks of a tag set, and ${maxMemberships} of all tag sets of a target. If there are more, each tag set has
  an equal share. \`snowgauge_tag_set_checks_dropped\` is the number of the others.
- ${maxUnmappedFields} unmapped fields of a check: if there are more, none is exported, and \`snowgauge_check_fields_dropped\` is their number.
  Fields nested over ${maxDepth} objects deep are dropped and counted there, too.
- ${maxLabelLength} characters of a label value: a longer value is truncated and ends in \`~\` and a checksum. Lone surrogates become U+FFFD.
  If names collide after that, one is kept.
- In the label \`field\`, a dot or backslash in a key is escaped with a backslash. An empty key is \`\\e\`. A message that is itself a number or
  duration is \`.\`.

## Metrics of the node itself

The \`/ext/metrics\` of the node does not show which check fails, why, since when, or when it last ran, and has nothing about the indexes. These
overlap:

${table(['snowgauge', 'node'], definitions.filter(({ nodeMetric }) => nodeMetric !== undefined).map(nodeRow))}

In the node, \`avalanche_network_send_fail_rate\`, \`avalanche_network_time_since_last_msg_*\` and
\`avalanche_requests_longest_running\` are written only by the health checks and freeze with them. \`/ext/metrics\` does not respond
while the process of a VM plugin is dead; the health interface does.
`;
