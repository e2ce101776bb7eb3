// What nodes of a fleet share: the same check fails on many of them, so that one alert on the fleet replaces those on the nodes.

import type { Recording, Terms } from './rule.ts';

const failing = ({ fleet }: Terms['set']): string => `count by (${fleet}, check) (snowgauge:suspect)`;

/** Excludes nodes in maintenance. */
const all = ({ fleet, identity }: Terms['set']): string =>
  `count by (${fleet}, check) (snowgauge:check_healthy unless on (${identity}) snowgauge:maintenance)`;

const alerted = (state: string): string => `ALERTS{alertname="SnowgaugeFleetFailing"${state}}`;
const firing = alerted(', alertstate="firing"');

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
    record: 'snowgauge:failing_ratio',
    help: 'Fraction of a fleet in which a check fails.',
    expr: ({ set }) => `${failing(set)}
/
${all(set)}`,
  },
  {
    record: 'snowgauge:shared',
    help: '1 for each check of a fleet that fails on at least `sharedTargets` nodes and `sharedRatio` of the fleet, or on all nodes of the fleet, at least two; 0 for the others.',
    expr: ({ set }) => `group by (${set.fleet}, check) (
  snowgauge:failing_ratio >= ${set.sharedRatio}
  and
  (
    ${failing(set)} >= ${set.sharedTargets}
    or
    (${failing(set)} > 1 and ${failing(set)} == ${all(set)})
  )
)
or
0 * group by (${set.fleet}, check) (snowgauge:check_healthy)`,
  },
  {
    record: 'snowgauge:shared_failure',
    help: '`snowgauge:failing_ratio` of each check that has `snowgauge:shared` 1; while `SnowgaugeFleetFailing` fires, also of each that had it within `flapWindow`.',
    // The nodes recover one after the other. Those that are left would page once more, each for itself.
    expr: ({ set }) => `snowgauge:failing_ratio
and on (${set.fleet}, check)
(
  snowgauge:shared == 1
  or
  (
    max_over_time(snowgauge:shared[${set.flapWindow}]) == 1
    and on (${set.fleet})
    ${firing}
  )
)`,
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
    record: 'snowgauge:fleet_failure',
    help: '`snowgauge:shared_failure` for which `SnowgaugeFleetFailing`, pending or firing, stands in for the alerts on its nodes: not if it came three times within `flapWindow` and that alert does not fire.',
    // If one node fails and another flaps, each time both fail would restart the alert on the first, and be too short for that on the fleet.
    // An operator who drops that alert gets those on the nodes.
    expr: ({ set }) => `snowgauge:shared_failure
and on (${set.fleet})
${alerted('')}
unless on (${set.fleet}, check)
(
  changes(snowgauge:shared[${set.flapWindow}]) > 4
  unless on (${set.fleet})
  ${firing}
)`,
  },
];
