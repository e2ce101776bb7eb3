// Alerts on the node's health: one alert for the node, or one for the affected tag set.

import { type Alert, dashboards, symptoms } from './rule.ts';
import {
  countedValue,
  itsReasons,
  itsRoot,
  itsTagSets,
  listTemplate,
  needsRestart,
  notReady,
  theNode,
  unhealthyTagSets,
  unreadyTagSets,
} from './texts.ts';

const forTagSet = '{{ with $labels.tag_set }} for tag set {{ . }}{{ end }}';

/** Pending or firing. An operator who drops this alert gets the others instead. */
const readinessLost = (...matchers: readonly string[]): string =>
  `ALERTS{${['alertname="SnowgaugeReadinessLost"', ...matchers].join(', ')}}`;

export const healthAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeHealthFrozen',
    severity: 'critical',
    scope: 'frozen',
    when: 'the node responds, but no health check has run for `frozenAfter` check intervals',
    expr: () => `snowgauge:frozen == 1
and
snowgauge:up == 1`,
    for: '2m',
    summary: `Health checks of ${theNode} have stopped running.`,
    description: `${theNode} responds, but no health check has run for frozenAfter check intervals (3 by default): one check hangs, and the reported health is outdated.${listTemplate('Suspect', { record: 'snowgauge:frozen_suspect', show: '{{ .Labels.check }}', sort: 'check' })}${needsRestart}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeNodeRestarting',
    severity: 'critical',
    scope: 'node',
    when: 'the node has restarted more than `restarts` times within `restartWindow`, those in a maintenance window not counted',
    expr: ({ set }) => `snowgauge:node_restarts > ${set.restarts}
unless
snowgauge:node_restarts_since_start - snowgauge:node_restarts_expected <= ${set.restarts}`,
    for: '0m',
    summary: `${theNode} is restarting: {{ $value }} times.`,
    description: `${theNode} has restarted {{ $value }} times within <restartWindow>: it crashes, runs out of memory or disk, or a failing probe restarts it. It is never up long enough for other alerts.${notReady}`,
    explains: symptoms,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeReadinessLost',
    severity: 'critical',
    scope: ['node', 'tag_set'],
    when: 'a node, or one of its tag sets, was ready within `readySeenWithin` before it lost its readiness, and has not been ready since, while the node responds and its checks run',
    expr: ({ set }) => `snowgauge:ready_lost
unless on (${set.identity})
snowgauge:explained`,
    for: '15m',
    summary: `${theNode} is no longer ready${forTagSet}.`,
    description: `Condition Ready of ${theNode} is not True${forTagSet}, and was before. A node whose readiness probe uses snowgauge receives no traffic.${itsRoot}${itsReasons}${unreadyTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeCheckFailing',
    severity: 'critical',
    scope: ['node', 'tag_set'],
    when: 'checks of a node or of one of its tag sets have been failing for more than `checkFailingAge`, and it did not lose its readiness',
    expr: ({ set }) => `snowgauge:failing_seconds > ${set.checkFailingAge}
unless on (${set.identity}, tag_set)
${readinessLost()}
unless on (${set.identity})
${readinessLost('tag_set=""')}
unless on (${set.identity})
snowgauge:explained`,
    for: '5m',
    summary: `Checks of ${theNode} have been failing for {{ $value | humanizeDuration }}${forTagSet}.`,
    description: `Checks of ${theNode} have failed in every run for {{ $value | humanizeDuration }}${forTagSet}. They are unlikely to recover by themselves.${itsRoot}${itsReasons}${unhealthyTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUnhealthy',
    severity: 'warning',
    scope: ['node', 'tag_set'],
    when: 'checks of a node or of one of its tag sets fail for a reason other than bootstrapping, or its report has no checks, and it did not lose its readiness',
    expr: ({ set }) => `snowgauge:failing_seconds <= ${set.checkFailingAge}
unless on (${set.identity}, tag_set)
${readinessLost()}
unless on (${set.identity})
${readinessLost('tag_set=""')}
unless on (${set.identity})
snowgauge:explained`,
    for: '10m',
    summary: `${theNode} is unhealthy${forTagSet}.`,
    description: `Condition Healthy of ${theNode} is not True${forTagSet}.${itsRoot}${itsReasons}${unhealthyTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeCheckFlapping',
    severity: 'warning',
    scope: 'node',
    when: 'a check started to fail more than `flaps` times within `flapWindow`, without a maintenance window in that time, and neither restarts nor the fleet explain it',
    expr: ({ set }) => `snowgauge:check_failures > ${set.flaps}
unless on (${set.identity})
snowgauge:node_restarts > ${set.restarts}
unless on (${set.fleet}, check)
max_over_time(snowgauge:shared[${set.flapWindow}]) == 1
unless on (${set.identity})
last_over_time(snowgauge:maintenance[${set.flapWindow}])`,
    for: '0m',
    summary: `Check {{ $labels.check }} of ${theNode} is flapping: {{ $value }} failures.`,
    description: `Check {{ $labels.check }} of ${theNode} started to fail {{ $value }} times within <flapWindow>. Each failure is too short for other alerts.${itsTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeBootstrappingWithoutProgress',
    severity: 'warning',
    scope: 'node',
    when: 'the node has been bootstrapping for all of `bootstrapWindow`, and no subnet finished, no chain was added and no index of a bootstrapping chain grew, and it did not lose its readiness',
    // The index of a chain that already ran then grows without any bootstrapping.
    expr: ({ set }) => {
      const subnets = 'snowgauge:bootstrapping_subnets';
      const checks = `count by (${set.identity}) (snowgauge:check_healthy`;
      const before = `offset ${set.bootstrapWindow}`;
      return `(
  min_over_time(${subnets}[${set.bootstrapWindow}]) > 0
  and
  ${subnets} == ${subnets} ${before}
  and
  ${checks}) == ${checks} ${before})
)
unless on (${set.identity})
(
  label_replace(
    snowgauge:index_height > snowgauge:index_height ${before} or snowgauge:index_height unless snowgauge:index_height ${before},
    "chain", "$1", "index", "(.+)/.+"
  )
  unless on (${set.identity}, chain)
  (snowgauge:chain_height and snowgauge:chain_height ${before})
)
unless on (${set.identity})
${readinessLost()}`;
    },
    for: '15m',
    summary: `${theNode} is bootstrapping ${countedValue('subnet')} without progress.`,
    description: `${theNode} is still bootstrapping ${countedValue('subnet')}, but no subnet finished, no chain was added and no index of a bootstrapping chain grew.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUnknownTag',
    severity: 'warning',
    scope: 'tag_set',
    when: 'a tag selects no check of its own while the node is not bootstrapping',
    expr: ({ set }) => `group by (${set.identity}, tag_set) (snowgauge:tag_known == 0)
unless on (${set.identity})
snowgauge:bootstrapping_subnets > 0`,
    for: '1h',
    summary: `${theNode} has no check for a tag of tag set {{ $labels.tag_set }}.`,
    description: `A tag of tag set {{ $labels.tag_set }} selects no check of ${theNode}: the tag is misspelled, or the node does not track the subnet. The health of the tag set is meaningless.${listTemplate('Tags', { record: 'snowgauge:tag_known', labels: ['tag_set'], show: '{{ .Labels.tag }}', sort: 'tag', where: ' == 0' })}`,
    lasting: true,
    dashboard: dashboards.subnet,
  },
];
