// docs/metrics.md, from the tables that make the page.

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

/** What a family promises: kept for each release, so that the next can be compared with it. */
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

Generated from the tables in \`src/metrics\` by \`npm run docs\`. Do not edit: a test compares it with them.

\`/metrics\` is served as text 0.0.4 and as OpenMetrics 1.0, by \`Accept\`, and compressed with gzip by \`Accept-Encoding\`.

${table(['family', 'type', 'labels', 'unit', 'help', 'source', 'stability'], definitions.map(familyRow))}

Beside these: \`process_*\` and \`nodejs_*\`, the exporter's own process as prom-client sees it, sampled at most once a second.

## What stability means

As in kube-state-metrics:

- **stable**: name, type, labels, unit and meaning stay. A change takes a release of overlap: the new family comes beside the old
  one, whose HELP then begins with \`(Deprecated since VERSION, use FAMILY)\`, and the old one goes with the release after that at the
  earliest. A test compares the families with those of the last release.
- **beta** (ALPHA in kube-state-metrics): may change in any minor release. The changelog names each change.

## One target at a time

| path | |
|---|---|
| \`/metrics\` | everything. \`?target=NAME\` leaves only that target, \`?name[]=FAMILY\` only that family; each may be given more than once |
| \`/targets/NAME/metrics\` | the families of one target, by the same names; 404 if it is not configured |
| \`/exporter/metrics\` | the families of the exporter and its process |
| \`/api/v1/sd\` | these paths for Prometheus's \`http_sd_configs\` ([api.md](api.md#service-discovery)) |

An [overloaded](footprint.md#overload) exporter may refuse the whole of \`/metrics\`, and never a part.

\`metrics.include\` and \`metrics.exclude\` choose the families that are exported at all, the process' own too. A family that is left out
takes the alerts, recording rules and panels that read it with it.

A target is rendered once, after its poll. A scrape joins what is kept, 256 KiB at a time, and gzip runs beside the event loop; a plain page of
more than 4 MiB is sent as it is joined. So whole pages of many targets cost little: \`npm run bench -- fleet\` measures them.

## One fact once

A fact of a node has the label \`target\`, and \`check\`, \`chain\` or \`index\` where it is of one of these. It comes from the report
without tags and is exported once, however many tag sets there are. A tag set has its own health, conditions, count of failing
checks, and a list of its checks: \`snowgauge_tag_set_check_info\`. Join it with the facts of the checks:

${Object.entries(joins).map(example).join('\n\n')}

The recording rules in \`deploy/prometheus\` carry the usual ones. \`targets[].labels\` of the configuration stand on every series of
the target and on none of the exporter's own.

## What is on the page, and what is not

- Timestamps of the node are in the node's clock, and no age is exported: \`time() - x\` is one, and
  \`snowgauge_clock_skew_seconds\` is the difference of the two clocks.
- Stale data is not exported. A tag set or an index without an answer for \`staleAfter\` check intervals has no samples of its own.
  \`snowgauge_up\`, \`snowgauge_target_info\`, the last report, polls, transitions, missed runs, integrity errors, the histograms, the
  conditions and the families of the exporter stay.
- Each condition has three series, one for each status: exactly one of them is 1.
- A check or a chain that is gone from the report is gone from the page; its transitions stay.
- A counter begins at 0 for every known label set. \`snowgauge_polls_total\` begins with the outcome \`ok\`; another outcome begins with
  its first request. A family without samples is left out.
- Error text is never a label: it stands on the status page and in \`/api/v1/status\`.
- \`reason\` is one of ${reasons.map(code).join(', ')}: of
  several that an error gives, the first of these.
- \`outcome\` is one of ${outcomeKinds.map(code).join(', ')}.

## How an index is watched

- Against its chain. The report names the chain's last block, and the index is asked about that very block, so that the time between
  the two answers is no drift. An index that denies the block is asked again in the next poll: only two denials in a row are a
  disagreement, and then the drift is counted from the index's last container. Nothing is compared at height 0, while the chain
  bootstraps, or for X/tx and X/vtx, which hold no blocks; an empty index has a drift alone.
- Along its tail. Verification starts at the head and covers every new container, at most ${maxContainers} in a poll; more take several polls.
  Each must follow the one before in index and in time, and have the id that its bytes give (on the C-Chain from the first that
  does); the index of the head is cross-checked by its id. A fault counts once, by its kind, and has a log line with its index. A
  gap between two containers counts once and is skipped; if a container cannot be fetched at all, verification continues at the
  head. It resets to the head, which is no fault, when the head moved back, another node answers, or the head is over
  ${maxBehind} containers ahead. \`snowgauge index verify\` verifies a whole index.
- An index costs a poll one request if nothing has moved, at most six if something has.

## Bounds

- ${maxChecks} checks of a report: failing ones are kept first, then by name; \`snowgauge_checks_dropped\` is the number of the others.
- ${maxChecks} checks of a tag set, and ${maxMemberships} of all tag sets of a target: where there are more, each tag set has an equal share of
  them. \`snowgauge_tag_set_checks_dropped\` is the number of the others.
- ${maxUnmappedFields} unmapped fields of a check: if there are more, none is exported, and \`snowgauge_check_fields_dropped\` is their number.
  Fields nested over ${maxDepth} objects deep are dropped and counted there, too.
- ${maxLabelLength} characters of a label value: a longer one is cut and ends in \`~\` and a checksum of the whole. Lone surrogates
  become U+FFFD. Of names that collide after that, one is kept.
- In the label \`field\`, a dot or a backslash in a key is written with a backslash before it, an empty key as \`\\e\`, and a
  message that is itself a number or a duration as \`.\`.

## What the node exports of the same things

The node's own \`/ext/metrics\` does not say which check fails, why, since when, or when it last ran, and nothing of the indexes.
Where the two overlap:

${table(['here', 'in the node'], definitions.filter(({ nodeMetric }) => nodeMetric !== undefined).map(nodeRow))}

Of the node's own, \`avalanche_network_send_fail_rate\`, \`avalanche_network_time_since_last_msg_*\` and
\`avalanche_requests_longest_running\` are written by the health checks alone: they freeze with them. \`/ext/metrics\` does not answer at
all while the process of a VM plugin is dead; the health interface does.
`;
