// What nodes of a fleet share: the same check fails on many of them, so that one alert on the fleet replaces those on the nodes.

import type { Recording } from './rule.ts';

export const fleetRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:suspect',
    help: '1 for each failing check, each chain with low connected stake (label `check`), and for check `network` of a node that has lost its peers. No sample in maintenance.',
    expr: ({ set }) => `group by (${set.identity}, check) (
  snowgauge:check_failing
  or
  label_replace(snowgauge:chain_connected_ratio < ${set.stakeLow}, "check", "$1", "chain", "(.+)")
  or
  label_replace(snowgauge:peers < ${set.peersDropRatio} * snowgauge:peers_baseline, "check", "network", "", "")
)
unless on (${set.identity})
snowgauge:maintenance`,
  },
  {
    record: 'snowgauge:shared_failure',
    help: 'Fraction of a fleet in which the same check fails, if it is at least `sharedTargets` nodes and `sharedRatio` of the fleet, or all nodes of the fleet, at least two.',
    // Excludes nodes in maintenance.
    expr: ({ set }) => {
      const failing = `count by (${set.fleet}, check) (snowgauge:suspect)`;
      const all = `count by (${set.fleet}, check) (snowgauge:check_healthy unless on (${set.identity}) snowgauge:maintenance)`;
      return `(
  ${failing}
    /
  ${all}
) >= ${set.sharedRatio}
and
(
  ${failing} >= ${set.sharedTargets}
  or
  (${failing} > 1 and ${failing} == ${all})
)`;
    },
  },
  {
    record: 'snowgauge:reference_failure',
    help: 'Fraction of the reference nodes (label `reference="true"`) on which a check fails, if that is at least `sharedRatio`.',
    expr: ({ set, of, orLast }) => {
      const checks = `(
    ${orLast(of('snowgauge_check_healthy', 'reference="true"')).replaceAll('\n', '\n    ')}
  )`;
      return `(
  count by (${set.fleet}, check) (${checks} == 0)
    /
  count by (${set.fleet}, check) ${checks}
) >= ${set.sharedRatio}`;
    },
  },
  {
    record: 'snowgauge:shared',
    help: '1 for each check of a fleet that has `snowgauge:shared_failure`, 0 for the others.',
    expr: ({ set }) => `group by (${set.fleet}, check) (snowgauge:shared_failure)
or
0 * group by (${set.fleet}, check) (snowgauge:check_healthy)`,
  },
  {
    record: 'snowgauge:fleet_failure',
    help: '`snowgauge:shared_failure` for which `SnowgaugeFleetFailing` stands in for the alerts on its nodes: not if it came three times within `flapWindow` and that alert does not fire.',
    // If one node fails and another flaps, each time both fail would restart the alert on the first, and be too short for that on the fleet.
    expr: ({ set }) => `snowgauge:shared_failure
unless on (${set.fleet}, check)
(
  changes(snowgauge:shared[${set.flapWindow}]) > 4
  unless on (${set.fleet})
  ALERTS{alertname="SnowgaugeFleetFailing", alertstate="firing"}
)`,
  },
];
