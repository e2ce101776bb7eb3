// Alerts on the node's health: of a check once for each node, of a tag set where its own condition is meant.

import { type Alert, dashboards, theNode } from './rule.ts';

/** The tag sets that a check counts for, as the end of a description. */
const itsTagSets = `{{ with printf "snowgauge_tag_set_check_info{instance=%q,job=%q,target=%q,check=%q}" $labels.instance $labels.job $labels.target $labels.check | query | sortByLabel "tag_set" }} Tag sets:{{ range . }} {{ .Labels.tag_set }}{{ end }}.{{ end }}`;

export const healthAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeHealthFrozen',
    severity: 'critical',
    when: 'the node responds, but no health check has run for `frozenAfter` check intervals',
    expr: ({ of }) => `${of('snowgauge_health_frozen')} == 1
and
${of('snowgauge_up')} == 1`,
    for: '2m',
    summary: `Health checks of ${theNode} have stopped running.`,
    description: `${theNode} responds, but no health check has run for frozenAfter check intervals (3 by default): one check hangs, and the reported health is outdated.{{ with printf "snowgauge_health_frozen_suspect{instance=%q,job=%q,target=%q}" $labels.instance $labels.job $labels.target | query }} Suspect:{{ range . }} {{ .Labels.check }}{{ end }}.{{ end }}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUnhealthy',
    severity: 'warning',
    when: 'the condition Healthy of a tag set is False, for a reason other than bootstrapping or a network event',
    // Facts of checks come with the untagged report: where that alone is missing, the tag set's own condition is all there is.
    expr: ({ of }) => `(
  count without (check) (snowgauge:tag_set_check_failing)
  and ignoring (reason)
  snowgauge:unhealthy == 1
)
or
label_replace(
  snowgauge:unhealthy == 1 and ${of('snowgauge_tag_set_failing_checks')} == 0,
  'reason', 'none', '', ""
)
or
label_replace(
  snowgauge:unhealthy == 1 and ${of('snowgauge_tag_set_failing_checks')} > 0
    unless ignoring (check) snowgauge:tag_set_check_healthy,
  'reason', 'unknown', '', ""
)`,
    for: '10m',
    summary: `Tag set {{ $labels.tag_set }} of ${theNode} is unhealthy: {{ $labels.reason }}.`,
    description: `Condition Healthy of ${theNode} is False for tag set {{ $labels.tag_set }}, reason {{ $labels.reason }}.`,
    dashboard: dashboards.subnet,
  },
  {
    name: 'SnowgaugeCheckFailing',
    severity: 'critical',
    when: 'a check has been failing for more than `checkFailingAge` by its timeOfFirstFailure, for a reason other than bootstrapping or a network event',
    expr: ({ set }) => `(
  snowgauge:check_failing
    * ignoring (reason) group_left ()
  snowgauge:check_failing_seconds
) > ${set.checkFailingAge}`,
    for: '5m',
    summary: `Check {{ $labels.check }} of ${theNode} has been failing for {{ $value | humanizeDuration }}.`,
    description: `Check {{ $labels.check }} of ${theNode} has failed in every run for {{ $value | humanizeDuration }}, current reason {{ $labels.reason }}. It is unlikely to recover by itself.${itsTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeCheckFlapping',
    severity: 'warning',
    when: 'a check started to fail more than `flaps` times within `flapWindow`, without a network event',
    expr: ({
      set,
      of,
    }) => `max without (to) (increase(${of('snowgauge_check_transitions_total', 'to="failing"')}[${set.flapWindow}])) > ${set.flaps}
unless on (${set.fleet}, check)
max_over_time(snowgauge:shared_failure[${set.flapWindow}])`,
    for: '0m',
    summary: `Check {{ $labels.check }} of ${theNode} is flapping: {{ $value | humanize }} failures.`,
    description: `Check {{ $labels.check }} of ${theNode} started to fail {{ $value | humanize }} times within flapWindow. Each failure is too short for other alerts.${itsTagSets}`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeReadinessLost',
    severity: 'critical',
    when: 'a tag set that was ready within `readySeenWithin` is not ready, while the node responds',
    expr: ({ set, of }) => `snowgauge:ready == 0
and
max_over_time(snowgauge:ready[${set.readySeenWithin}]) == 1
and ignoring (tag_set)
${of('snowgauge_up')} == 1`,
    for: '15m',
    summary: `${theNode} is no longer ready for tag set {{ $labels.tag_set }}.`,
    description: `Condition Ready of ${theNode} is not True for tag set {{ $labels.tag_set }}, and was before. A node whose readiness probe uses snowgauge receives no traffic.`,
    dashboard: dashboards.subnet,
  },
  {
    name: 'SnowgaugeBootstrappingWithoutProgress',
    severity: 'warning',
    when: 'the node has been bootstrapping for all of `bootstrapWindow`, and no subnet finished, no chain was added and no index grew',
    expr: ({ set, of }) => {
      const index = of('snowgauge_index_last_accepted_height');
      const subnets = of('snowgauge_bootstrapping_subnets');
      const checks = of('snowgauge_check_healthy');
      return `(
  min_over_time(${subnets}[${set.bootstrapWindow}]) > 0
  and
  ${subnets} == ${subnets} offset ${set.bootstrapWindow}
  and
  count without (check) (${checks}) == count without (check) (${checks} offset ${set.bootstrapWindow})
)
unless ignoring (index)
(
  ${index} > ${index} offset ${set.bootstrapWindow}
  or
  ${index} unless ${index} offset ${set.bootstrapWindow}
)`;
    },
    for: '15m',
    summary: `${theNode} is bootstrapping {{ $value }} subnets without progress.`,
    description: `${theNode} is still bootstrapping {{ $value }} subnets, but no subnet finished, no chain was added and no index grew.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUnknownTag',
    severity: 'warning',
    when: 'a tag selects no check of its own while the node is not bootstrapping',
    expr: ({ of }) => `${of('snowgauge_tag_known')} == 0
unless ignoring (tag_set, tag)
${of('snowgauge_bootstrapping_subnets')} > 0`,
    for: '1h',
    summary: `${theNode} has no check for tag {{ $labels.tag }}.`,
    description: `Tag {{ $labels.tag }} of tag set {{ $labels.tag_set }} selects no check of ${theNode}: the tag is misspelled, or the node does not track the subnet. The health of the tag set is meaningless.`,
    dashboard: dashboards.subnet,
  },
  {
    name: 'SnowgaugeNetworkEvent',
    severity: 'info',
    when: 'the same check fails for one of `sharedReasons` on at least `sharedTargets` nodes and `sharedRatio` of the fleet',
    expr: () => 'snowgauge:shared_failure',
    for: '10m',
    summary: 'Check {{ $labels.check }} fails on {{ $value | humanizePercentage }} of the nodes: {{ $labels.reason }}.',
    description:
      'Check {{ $labels.check }} fails with reason {{ $labels.reason }} on {{ $value | humanizePercentage }} of the nodes. The cause is the network, or something all nodes share; alerts on single nodes are suppressed.',
    dashboard: dashboards.fleet,
  },
];
