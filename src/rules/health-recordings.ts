// What fails, since when, and whether it affects the node as a whole or one tag set.
//
// A check affects the node as a whole if it counts for every subnet (`nodeChecks`), or if only the tag set without tags has it. It then
// has one series, without a tag set. Other checks belong to the tag sets that have them. A failure of the node hides those of its tag
// sets, which are a consequence of it.

import { fleetRecordings } from './fleet-recordings.ts';
import type { Recording } from './rule.ts';

/** A node that starts up also fails for these reasons, and is not at fault. */
const startupReasons = 'not-yet-run|chain-starting|no-validators';

/** If only these checks fail, the consequences have no alert of their own. An operator who drops this alert gets the others instead. */
const explained = [
  { check: 'diskspace', alert: 'SnowgaugeDiskLow' },
  { check: 'futureupgrade', alert: 'SnowgaugeUpgradeDeadlineNear' },
];

export const healthRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:check_failing',
    help: '1 for each failing check, except for failures due to bootstrapping.',
    // A bootstrapping chain does not know its stake yet. Only a running chain has a height.
    expr: ({ set }) => `group by (${set.identity}, check) (
  snowgauge:check_failure_reason{reason!~"bootstrapping|stake-disconnected|${startupReasons}"}
  or
  (
    snowgauge:check_failure_reason{reason=~"${startupReasons}"}
    unless on (${set.identity})
    snowgauge:bootstrapping_subnets > 0
  )
  or
  (
    snowgauge:check_failure_reason{reason="stake-disconnected"}
    and on (${set.identity}, check)
    label_replace(snowgauge:chain_height, "check", "$1", "chain", "(.+)")
  )
)`,
  },
  {
    record: 'snowgauge:check_failing_seconds',
    help: 'How long a check has been failing, corrected for clock skew if it is known.',
    expr: ({ set }) => `(
  time() - snowgauge:check_first_failure + on (${set.identity}) group_left () snowgauge:clock_skew_seconds
)
or
(time() - snowgauge:check_first_failure)`,
  },
  ...fleetRecordings,
  {
    record: 'snowgauge:own_failing_seconds',
    help: '`snowgauge:check_failing_seconds` of the failing checks that a node does not share with its fleet, as in `snowgauge:fleet_failure`.',
    expr: ({ set }) => `(
  snowgauge:check_failing_seconds and snowgauge:check_failing
  or
  snowgauge:check_failing * 0
)
unless on (${set.fleet}, check)
snowgauge:fleet_failure`,
  },
  {
    record: 'snowgauge:explained_failure',
    help: '1 for each failing check that is covered by a dedicated alert, pending or firing.',
    expr: ({ set }) =>
      explained
        .map(
          ({ check, alert }) => `snowgauge:check_healthy{check="${check}"} == 0
and on (${set.identity})
ALERTS{alertname="${alert}"}`,
        )
        .join('\nor\n'),
  },
  {
    record: 'snowgauge:explained',
    help: 'Number of failing checks of a node that are covered by a dedicated alert.',
    expr: ({ set }) => `count by (${set.identity}) (snowgauge:explained_failure)
== on (${set.identity})
count by (${set.identity}) (snowgauge:check_healthy == 0)`,
  },
  {
    record: 'snowgauge:whole_tag_set',
    help: 'Number of checks of each tag set that selects all checks of the node.',
    expr: ({ set }) => `count by (${set.identity}, tag_set) (snowgauge:tag_set_check)
== on (${set.identity}) group_left ()
count by (${set.identity}) (snowgauge:check_healthy)`,
  },
  {
    record: 'snowgauge:subnet_check',
    help: '1 for each check of each tag set that selects only some checks of the node.',
    expr: ({ set }) => `snowgauge:tag_set_check unless on (${set.identity}, tag_set) snowgauge:whole_tag_set`,
  },
  {
    record: 'snowgauge:node_failing_seconds',
    help: 'How long the node as a whole has been failing.',
    // A node may be unhealthy without naming a check, or its report without tags may be missing. If it responds, some check must be known.
    expr: ({ set }) => `max by (${set.identity}) (
  snowgauge:own_failing_seconds{check=~"${set.nodeChecks}"}
  or
  (snowgauge:own_failing_seconds unless on (${set.identity}, check) snowgauge:subnet_check)
  or
  (snowgauge:unhealthy == 1 and snowgauge:tag_set_failing_checks == 0) * 0
)
and on (${set.identity})
snowgauge:unhealthy == 1
or
0 * (snowgauge:up == 1 unless on (${set.identity}) snowgauge:check_healthy)`,
  },
  {
    record: 'snowgauge:failing_seconds',
    help: 'How long the node as a whole has been failing; if it is healthy as a whole, how long each of its tag sets has been failing.',
    expr: ({ set }) => `snowgauge:node_failing_seconds
or
(
  max by (${set.identity}, tag_set) (
    snowgauge:subnet_check * on (${set.identity}, check) group_left () snowgauge:own_failing_seconds
  )
  and
  snowgauge:unhealthy == 1
  unless on (${set.identity})
  snowgauge:node_failing_seconds
)`,
  },
  {
    record: 'snowgauge:node_ready',
    help: '`snowgauge:ready` by NodeID: it is kept when a target is renamed.',
    expr: ({ withNodeId }) => `max by (node_id, tag_set) (${withNodeId('snowgauge:ready')})`,
  },
  {
    record: 'snowgauge:tag_set_ready_lost',
    help: '0 for each tag set that was ready, by identity or by NodeID, within `readySeenWithin` before it lost its readiness, and has not been ready since, while the node responds and its checks run.',
    // If the whole fleet fails, that is another alert. The state of a frozen node is unknown.
    expr: ({ set, withNodeId }) => `(
  snowgauge:ready == 0
  and on (${set.identity})
  snowgauge:up == 1
  unless on (${set.identity})
  snowgauge:frozen == 1
  and on (${set.identity}, tag_set)
  (
    max_over_time(snowgauge:ready[${set.readySeenWithin}]) == 1
    or
    (
      ${withNodeId('snowgauge:ready')}
      and on (node_id, tag_set)
      max_over_time(snowgauge:node_ready[${set.readySeenWithin}]) == 1
    )
    or
    last_over_time(snowgauge:tag_set_ready_lost[${set.readySeenWithin}])
  )
)
unless on (${set.identity})
(
  snowgauge:check_failing
  unless on (${set.identity})
  snowgauge:own_failing_seconds
)`,
  },
  {
    record: 'snowgauge:new_subnet_bootstrapping',
    help: '1 for each node of which only tag sets with all checks wait for a subnet that bootstraps, if each chain that ran within `readySeenWithin` runs, and the target was ready within it when that began.',
    // A subnet that bootstraps again is no new one: its chain had a height, which a target with a new name does not have.
    expr: ({ set }) => `group by (${set.identity}) (snowgauge:check_failure_reason{reason="bootstrapping"})
and on (${set.identity})
(snowgauge:ready == 1 unless on (${set.identity}, tag_set) snowgauge:whole_tag_set)
unless on (${set.identity})
snowgauge:check_failing
unless on (${set.identity})
(last_over_time(snowgauge:chain_height[${set.readySeenWithin}]) unless snowgauge:chain_height)
and on (${set.identity})
(
  max_over_time(snowgauge:ready[${set.readySeenWithin}]) == 1 and on (${set.identity}, tag_set) snowgauge:whole_tag_set
  or
  last_over_time(snowgauge:new_subnet_bootstrapping[${set.readySeenWithin}])
)`,
  },
  {
    record: 'snowgauge:node_ready_lost',
    help: 'Number of tag sets of a node that have lost their readiness, if the node is at fault: a check of the node as a whole fails, or no single subnet, nor a new one, explains it.',
    expr: ({ set }) => {
      const subnets = `snowgauge:tag_set_ready_lost unless on (${set.identity}, tag_set) snowgauge:whole_tag_set`;
      return `count by (${set.identity}) (snowgauge:tag_set_ready_lost)
and on (${set.identity})
(
  snowgauge:own_failing_seconds{check=~"${set.nodeChecks}"}
  or
  (snowgauge:tag_set_ready_lost unless on (${set.identity}) (${subnets}) unless on (${set.identity}) snowgauge:new_subnet_bootstrapping)
  or
  (
    count by (${set.identity}) (snowgauge:tag_set_ready_lost) == count by (${set.identity}) (snowgauge:ready)
    unless on (${set.identity})
    (count by (${set.identity}) (${subnets}) == 1 and on (${set.identity}) snowgauge:check_failing)
  )
)`;
    },
  },
  {
    record: 'snowgauge:ready_lost',
    help: 'One series for each node that has lost its readiness. For the other nodes, one for each tag set that has. While a node does not respond, or its checks do not run, the same as before for `readyLostGap`.',
    // Each time the responses or checks of a node stop for a moment, its alert would start again: nobody would learn that it is never ready.
    expr: ({ set }) => `snowgauge:node_ready_lost
or
(
  snowgauge:tag_set_ready_lost
  unless on (${set.identity}, tag_set)
  snowgauge:whole_tag_set
  unless on (${set.identity})
  snowgauge:node_ready_lost
)
or
(
  last_over_time(snowgauge:ready_lost[${set.readyLostGap}])
  and on (${set.identity})
  (
    snowgauge:up == 0 and max_over_time(snowgauge:up[${set.readyLostGap}]) == 1
    or
    snowgauge:frozen == 1 and min_over_time(snowgauge:frozen[${set.readyLostGap}]) == 0
  )
)`,
  },
];
