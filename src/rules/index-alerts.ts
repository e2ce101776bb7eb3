// Alerts on the container indexes.

import { type Alert, dashboards } from './rule.ts';
import { blocks, listTemplate, theNode } from './texts.ts';

/** The kinds of errors that the verifier has found. */
const kinds = listTemplate('Kinds', {
  record: 'snowgauge:index_integrity_errors',
  labels: ['index'],
  show: '{{ .Labels.kind }}',
  sort: 'kind',
  where: ' > 0',
});

export const indexAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeIndexStalled',
    severity: 'critical',
    scope: 'index',
    when: 'an index has not grown within `indexWindow`, but its chain has',
    expr: () => 'snowgauge:index_stalled',
    for: '10m',
    summary: `Index {{ $labels.index }} of ${theNode} has stopped growing.`,
    description: `The chain of index {{ $labels.index }} of ${theNode} accepts blocks, but the index does not grow: its clients read outdated data.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexDisagrees',
    severity: 'critical',
    scope: 'index',
    when: 'the index does not contain the last accepted block of its chain',
    expr: () => 'snowgauge:index_agrees == 0',
    for: '5m',
    summary: `Index {{ $labels.index }} of ${theNode} disagrees with its chain.`,
    description: `Index {{ $labels.index }} of ${theNode} does not contain the last accepted block of its chain: it has lost blocks, or stopped growing.`,
    independent: true,
    explains: ['SnowgaugeIndexStalled'],
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexIntegrityErrors',
    severity: 'critical',
    scope: 'index',
    when: 'the index verifier found an integrity error within `indexErrorWindow`, or before the first scrape of the target: a gap, or a wrong number, id, bytes or hash',
    // Not for a time before that of the predecessor: a clock of the node that is set back causes it, and the index is intact.
    expr: ({ set }) => `sum by (${set.identity}, index) (snowgauge:index_integrity_errors{kind!="time"}) > 0`,
    for: '0m',
    summary: `Index {{ $labels.index }} of ${theNode} has integrity errors.`,
    description: `Containers of index {{ $labels.index }} of ${theNode} are missing or damaged: data read from it may be wrong.${kinds}`,
    independent: true,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexOff',
    severity: 'warning',
    scope: 'index',
    when: 'a watched index is off or failing, while the node responds and is not bootstrapping',
    // 1 is off, 2 is failing: an index that alternates between them remains one alert.
    expr: ({ set }) => `max by (${set.identity}, index) (
  snowgauge:index_state{state="off"} == 1
  or
  2 * (snowgauge:index_state{state="error"} == 1)
)
and on (${set.identity})
snowgauge:up == 1
unless on (${set.identity})
snowgauge:bootstrapping_subnets > 0`,
    for: '15m',
    summary: `Index {{ $labels.index }} of ${theNode} is {{ if eq $value 1.0 }}off{{ else }}failing{{ end }}.`,
    description: `Index {{ $labels.index }} of ${theNode} is watched, but {{ if eq $value 1.0 }}off on the node: containers accepted meanwhile are not indexed and cannot be added later{{ else }}requests to it fail{{ end }}.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexIncomplete',
    severity: 'warning',
    scope: 'index',
    when: 'an index has been missing more than `indexDrift` blocks for all of `indexWindow`, but grows with its chain',
    expr: ({ set }) => `min_over_time(snowgauge:index_drift[${set.indexWindow}]) > ${set.indexDrift}
unless
snowgauge:index_stalled`,
    for: '1h',
    summary: `Index {{ $labels.index }} of ${theNode} is missing ${blocks}.`,
    description: `Index {{ $labels.index }} of ${theNode} is missing ${blocks} that its chain has accepted. The node ran without the index for some time; the missing blocks cannot be added later.`,
    dashboard: dashboards.index,
  },
];
