// Alerts on the container indexes.

import { type Alert, dashboards, theNode } from './rule.ts';

/** What the verifier has found since the exporter started, as the end of a description. */
const kinds = `{{ with printf "snowgauge_index_integrity_errors_total{instance=%q,job=%q,target=%q,index=%q} > 0" $labels.instance $labels.job $labels.target $labels.index | query | sortByLabel "kind" }} Kinds:{{ range . }} {{ .Labels.kind }}{{ end }}.{{ end }}`;

export const indexAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeIndexStalled',
    severity: 'critical',
    when: 'an index has not grown within `indexWindow`, but its chain has',
    expr: () => 'snowgauge:index_stalled',
    for: '10m',
    summary: `Index {{ $labels.index }} of ${theNode} has stopped growing.`,
    description: `Chain {{ $labels.chain }} of ${theNode} accepts blocks, but index {{ $labels.index }} does not grow: its clients read outdated data.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexDisagrees',
    severity: 'critical',
    when: 'the index does not contain the last accepted block of its chain',
    expr: ({ of }) => `${of('snowgauge_index_agrees_with_chain')} == 0`,
    for: '5m',
    summary: `Index {{ $labels.index }} of ${theNode} disagrees with its chain.`,
    description: `Index {{ $labels.index }} of ${theNode} does not contain the last accepted block of its chain.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexGap',
    severity: 'critical',
    when: 'the index verifier found an integrity error within `gapWindow`: a gap, or a wrong number, id, time, bytes or hash',
    expr: ({ set, of }) => `sum without (kind) (increase(${of('snowgauge_index_integrity_errors_total')}[${set.gapWindow}])) > 0`,
    for: '0m',
    summary: `Index {{ $labels.index }} of ${theNode} has integrity errors.`,
    description: `Containers of index {{ $labels.index }} of ${theNode} are missing, out of order or damaged: data read from it may be wrong.${kinds}`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexOff',
    severity: 'warning',
    when: 'a configured index is off or failing, while the node responds and is not bootstrapping',
    expr: ({ of }) => `${of('snowgauge_index_state', 'state=~"off|error"')} == 1
and ignoring (index, state)
${of('snowgauge_up')} == 1
unless ignoring (index, state)
${of('snowgauge_bootstrapping_subnets')} > 0`,
    for: '15m',
    summary: `Index {{ $labels.index }} of ${theNode} is {{ if eq $labels.state "off" }}off{{ else }}failing{{ end }}.`,
    description: `Index {{ $labels.index }} of ${theNode} is configured but {{ if eq $labels.state "off" }}off on the node: containers accepted meanwhile are not indexed and cannot be added later{{ else }}requests to it fail{{ end }}.`,
    dashboard: dashboards.index,
  },
  {
    name: 'SnowgaugeIndexIncomplete',
    severity: 'warning',
    when: 'an index has been missing more than `indexDrift` blocks for all of `indexWindow`, but grows with its chain',
    expr: ({ set, of }) => `min_over_time(${of('snowgauge_index_height_drift')}[${set.indexWindow}]) > ${set.indexDrift}
unless ignoring (chain)
snowgauge:index_stalled`,
    for: '1h',
    summary: `Index {{ $labels.index }} of ${theNode} is missing {{ $value }} blocks.`,
    description: `Index {{ $labels.index }} of ${theNode} has {{ $value }} fewer blocks than its chain has accepted. The node ran without the index for some time; the missing blocks cannot be added later.`,
    dashboard: dashboards.index,
  },
];
