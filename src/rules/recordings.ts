// Recording rules: what several alerts and dashboards ask.

import type { Recording } from './rule.ts';

/** A node that is starting up fails for these too, and nothing is wrong. */
const startupReasons = 'not-yet-run|chain-starting|no-validators';

export const recordings: readonly Recording[] = [
  {
    record: 'snowgauge:bootstrapping_subnets',
    help: 'Subnets that a node is still bootstrapping, whichever tag set says so.',
    expr: ({ of }) => `max without (tag_set) (${of('snowgauge_bootstrapping_subnets')})`,
  },
  {
    record: 'snowgauge:shared_failure',
    help: 'Part of the nodes that fail in one check for one reason, where that makes it an event of the network.',
    expr: ({ set, of }) => {
      const failing = `count by (${set.fleet}, check, reason) (max without (tag_set) (${of('snowgauge_check_failure_reason', `reason=~"${set.sharedReasons}"`)}))`;
      return `(
  ${failing}
    / ignoring (reason) group_left ()
  count by (${set.fleet}, check) (max without (tag_set) (${of('snowgauge_check_healthy')}))
) >= ${set.sharedRatio}
and
${failing} >= ${set.sharedTargets}`;
    },
  },
  {
    record: 'snowgauge:check_failing',
    help: "1 for each failing check whose failure is this node's own trouble: no start-up, no event of the network.",
    // A chain that bootstraps knows no stake yet: only one that runs has a height.
    expr: ({ set, of }) => `(
  ${of('snowgauge_check_failure_reason', `reason!~"bootstrapping|stake-disconnected|${startupReasons}"`)}
  or
  (
    ${of('snowgauge_check_failure_reason', `reason=~"${startupReasons}"`)}
    unless ignoring (tag_set, check, reason)
    snowgauge:bootstrapping_subnets > 0
  )
  or
  (
    ${of('snowgauge_check_failure_reason', 'reason="stake-disconnected"')}
    and ignoring (reason, chain)
    label_replace(${of('snowgauge_chain_last_accepted_height')}, "check", "$1", "chain", "(.+)")
  )
)
unless on (${set.fleet}, check, reason)
snowgauge:shared_failure`,
  },
  {
    record: 'snowgauge:check_failing_seconds',
    help: "For how long a check has been failing, the node's clock corrected by what is known of it.",
    expr: ({ of }) => {
      const since = of('snowgauge_check_first_failure_timestamp_seconds');
      return `max without (tag_set) (
  (time() - ${since} + ignoring (tag_set, check) group_left () ${of('snowgauge_clock_skew_seconds')})
  or
  (time() - ${since})
)`;
    },
  },
  {
    record: 'snowgauge:chain_connected_ratio',
    help: 'Connected stake of a chain that runs. One that bootstraps knows no stake: it has no height either.',
    expr: ({ of }) =>
      `min without (tag_set) (${of('snowgauge_chain_connected_ratio')} and ${of('snowgauge_chain_last_accepted_height')})`,
  },
  {
    record: 'snowgauge:network_connected_peers',
    help: 'Peers that a node is connected to, whichever tag set says so.',
    expr: ({ of }) => `min without (tag_set) (${of('snowgauge_network_connected_peers')})`,
  },
  {
    record: 'snowgauge:disk_full_in_seconds',
    help: 'Time left, by the slope of the free space, until the node shuts itself down. No sample while space is not shrinking.',
    expr: ({ set, of }) => {
      const free = of('snowgauge_disk_available_bytes');
      return `min without (tag_set) (
  (
    (${free} - ${set.diskRequired} * ${free} / ${of('snowgauge_disk_available_ratio')})
    or
    ${free}
  )
  / -(deriv(${of('snowgauge_disk_available_bytes')}[${set.diskTrendWindow}]) < 0)
)`;
    },
  },
  {
    record: 'snowgauge:index_stalled',
    help: '0 for each index that has not grown while its chain has.',
    expr: ({ set, of }) => `label_replace(
  changes(${of('snowgauge_index_last_accepted_height', 'index=~"./block"')}[${set.indexWindow}]) == 0,
  'chain', '$1', 'index', "(.)/block"
)
and ignoring (index)
max without (tag_set) (delta(${of('snowgauge_chain_last_accepted_height')}[${set.indexWindow}])) > 0`,
  },
];
