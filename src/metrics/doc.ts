// docs/metrics.md, from the tables that make the page.

import { outcomeKinds } from '../client/outcome.ts';
import { reasons } from '../protocol/reasons.ts';
import { maxChecks } from '../sources/health/checks.ts';
import { mostBehind, mostContainers } from '../sources/index-tail/tail.ts';
import { definitions } from './families.ts';
import { joinsDoc } from './joins-doc.ts';
import { maxLabelLength } from './labels.ts';
import { maxDepth, maxUnmappedFields } from './message.ts';

type Defined = (typeof definitions)[number];

const cell = (text: string): string => text.replace(/[|<>]/g, (character) => `\\${character}`);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const code = (text: string): string => `\`${text}\``;

const familyRow = (one: Defined): readonly string[] => [
  code(one.name),
  one.type,
  one.labels.map(code).join(', '),
  one.unit,
  cell(one.help),
  cell(one.source),
  one.stability,
];

const nodeRow = (one: Defined): readonly string[] => [code(one.name), cell(one.nodeMetric ?? '')];

/** What a family promises: kept for each release, so that the next can be compared with it. */
export const metricsContract = (): Readonly<Record<string, Pick<Defined, 'type' | 'labels' | 'unit' | 'stability'>>> =>
  Object.fromEntries(definitions.map(({ name, type, labels, unit, stability }) => [name, { type, labels, unit, stability }]));

/** The whole document. */
export const metricsDoc = (): string => `# Metrics

Generated from the tables in \`src/metrics\` by \`npm run docs\`. Do not edit: a test compares it with them.

\`/metrics\` is served as text 0.0.4 and as OpenMetrics 1.0, by \`Accept\`, and compressed with gzip by \`Accept-Encoding\`.

${table(['family', 'type', 'labels', 'unit', 'what it says', 'source', 'stability'], definitions.map(familyRow))}

Beside these: \`process_*\` and \`nodejs_*\`, the exporter's own process as prom-client sees it, sampled at most once a second.

## Stability

A **stable** family keeps its name, type, labels, unit and meaning. Where one has to change or to go, it stays on the page beside the
new one for one release: its HELP begins with \`Deprecated since VERSION\` and names the new one, and the changelog says so. It goes
with the release after that. A **beta** family may change or go in any minor version; a line of the changelog says so.

## What is on the page, and what is not

- Timestamps of the node are in the node's clock, and no age is exported: \`time() - x\` is one, and
  \`snowgauge_clock_skew_seconds\` says how far the two clocks are apart.
- Old is not current. A tag set or an index that has not answered for \`staleAfter\` check intervals has no samples of its own.
  \`snowgauge_up\`, the last report, polls, transitions, missed runs, the histograms, the conditions and the families of the
  exporter stay.
- A check or a chain that is gone from the report is gone from the page; its transitions stay.
- Every known label set of a counter begins at 0. A family without samples is left out.
- Error text is never a label: it stands on the status page and in \`/api/v1/status\`.
- \`reason\` is one of ${reasons.map(code).join(', ')}: of
  several that an error gives, the first of these.
- \`outcome\` is one of ${outcomeKinds.map(code).join(', ')}.

## How an index is watched

- Beside its chain. The report names the chain's last block, and the index is asked about that very block, so that neither drifts
  because one was asked before the other. Once the index has denied the block, it is asked again in the next poll: only two
  denials in a row are a disagreement, and then the drift is counted from the index's last container. Nothing is compared
  at height 0, while the chain bootstraps, and of X/tx and X/vtx, which hold no blocks; an empty index has a drift alone.
- Along its tail. The first look is at the head; then every container that comes, up to ${mostContainers} in a poll, so that what is more
  takes several polls. Each must follow the one before in number and in time, and have the id that its bytes give (on the
  C-Chain from the first that does); the number of the head is asked back by its id. A fault counts once, and has a log line with
  its number. A gap between two containers counts once and is passed over; where a container cannot be had at all, the tail
  goes on at the head. It begins anew at the head, which is no fault, when the head moved back, another node answers, or the
  head is over ${mostBehind} containers ahead. \`snowgauge index verify\` looks at a whole index.
- An index costs a poll one call where nothing has moved, at most six where it has.

## Bounds

- ${maxChecks} checks of a report: the worst are kept (failing, the oldest failure first; then not yet run; then by name); \`snowgauge_checks_dropped\` says how many are left out.
- ${maxUnmappedFields} unmapped fields of a check: of more, none is exported, and \`snowgauge_check_fields_dropped\` says how many there are.
  What is nested in over ${maxDepth} objects is left out and counted there too.
- ${maxLabelLength} characters of a label value: a longer one is cut and ends in \`~\` and a checksum of the whole. Lone surrogates
  become U+FFFD. Of names that have become equal so, one is kept.
- In the label \`field\`, a dot or a backslash in a key is written with a backslash before it, an empty key as \`\\e\`, and a
  message that is itself a number or a duration as \`.\`.

${joinsDoc}

## What the node exports of the same things

The node's own \`/ext/metrics\` does not say which check fails, why, since when, or when it last ran, and nothing of the indexes.
Where the two overlap:

${table(['here', 'in the node'], definitions.filter(({ nodeMetric }) => nodeMetric !== undefined).map(nodeRow))}

Of the node's own, \`avalanche_network_send_fail_rate\`, \`avalanche_network_time_since_last_msg_*\` and
\`avalanche_requests_longest_running\` are written by the health checks alone: they freeze with them. \`/ext/metrics\` does not answer at
all while the process of a VM plugin is dead; the health interface does.
`;
