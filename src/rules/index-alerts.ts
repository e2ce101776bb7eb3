// Alerts on the container indexes.

import { type Alert, dashboards, theNode } from './rule.ts';

/** What the verifier has found since the exporter started, as the end of a description. */
const kinds = `{{ with printf "snowgauge_index_integrity_errors_total{instance=%q,job=%q,target=%q,index=%q} > 0" $labels.instance $labels.job $labels.target $labels.index | query | sortByLabel "kind" }} Kinds:{{ range . }} {{ .Labels.kind }}{{ end }}.{{ end }}`;

export const indexAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeIndexStalled',
    severity: 'critical',
    when: 'an index has not grown within `indexWindow`, and its chain has',
    expr: () => 'snowgauge:index_stalled',
    for: '10m',
    summary: `Index {{ $labels.index }} of ${theNode} has stopped.`,
    description: `Chain {{ $labels.chain }} of ${theNode} accepts blocks, and index {{ $labels.index }} does not get them: whoever reads the index sees an old world.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexDisagrees',
    severity: 'critical',
    when: 'the index says that it has not accepted the last block of its chain',
    expr: ({ of }) => `${of('snowgauge_index_agrees_with_chain')} == 0`,
    for: '5m',
    summary: `Index {{ $labels.index }} of ${theNode} disagrees with its chain.`,
    description: `Index {{ $labels.index }} of ${theNode} does not hold the block that the chain names as its last accepted one.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexGap',
    severity: 'critical',
    when: 'the tail verifier has found an integrity error within `gapWindow`: a gap, or a number, id, time, bytes or hash that is wrong',
    expr: ({ set, of }) => `sum without (kind) (increase(${of('snowgauge_index_integrity_errors_total')}[${set.gapWindow}])) > 0`,
    for: '0m',
    summary: `Index {{ $labels.index }} of ${theNode} has integrity errors.`,
    description: `Containers of index {{ $labels.index }} of ${theNode} are missing, out of order or damaged: what was read from it may be wrong.${kinds}`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexOff',
    severity: 'warning',
    when: 'an index that is configured is off, or fails, while the node answers and is not bootstrapping',
    expr: ({ of }) => `${of('snowgauge_index_state', 'state=~"off|error"')} == 1
and ignoring (index, state)
${of('snowgauge_up')} == 1
unless ignoring (index, state)
${of('snowgauge_bootstrapping_subnets')} > 0`,
    for: '15m',
    summary: `Index {{ $labels.index }} of ${theNode} is {{ if eq $labels.state "off" }}off{{ else }}failing{{ end }}.`,
    description: `Index {{ $labels.index }} of ${theNode} is configured to be watched and is {{ if eq $labels.state "off" }}off: what is accepted meanwhile is not indexed, and cannot be added later{{ else }}answering with errors{{ end }}.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexIncomplete',
    severity: 'warning',
    when: 'an index has had more than `indexDrift` blocks too few all through `indexWindow`, and still grows with its chain',
    expr: ({ set, of }) => `min_over_time(${of('snowgauge_index_height_drift')}[${set.indexWindow}]) > ${set.indexDrift}
unless ignoring (chain)
snowgauge:index_stalled`,
    for: '1h',
    summary: `Index {{ $labels.index }} of ${theNode} lacks {{ $value }} blocks.`,
    description: `Index {{ $labels.index }} of ${theNode} holds {{ $value }} blocks fewer than its chain has accepted. It was begun late, or the node once ran without it: it cannot be filled up.`,
    dashboard: dashboards.index,
  },
];
