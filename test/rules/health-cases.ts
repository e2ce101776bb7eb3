// Cases of the alerts on the node's health.

import type { Fires, Quiet } from './case.ts';
import {
  check,
  grow,
  healthy,
  healthyCondition,
  hold,
  inTurn,
  l1,
  perTagSet,
  ready,
  reason,
  type Series,
  scraped,
  since,
  tagSets,
  well,
  where,
} from './series.ts';
import { tracksAnother } from './world-parts.ts';

const node = (steps: number, changes: Series, seconds = 60): Series => scraped({ ...well(steps, seconds), ...changes });

/** A check that fails from minute `from` for `minutes`, or to the end, and makes some tag sets unhealthy. */
export const failing = (
  name: string,
  why: string,
  steps: number,
  from: number,
  minutes: number,
  inSets: readonly string[] = tagSets,
): Series => {
  const rest = steps - from - minutes;
  const dip = rest === 0 ? inTurn(hold(1, from), hold(0, minutes)) : inTurn(hold(1, from), hold(0, minutes), hold(1, rest));
  return {
    ...healthy(dip, inSets),
    ...check(name, dip),
    ...reason(name, why, inTurn(hold('_', from), hold(1, minutes), ...(rest > 0 ? ['stale'] : []))),
    ...since(name, inTurn(hold('_', from), hold(from * 60, minutes), ...(rest > 0 ? ['stale'] : []))),
  };
};

const bootstrapping = (steps: number, indexValues: string): Series => ({
  ...failing('bootstrapped', 'bootstrapping', steps, 0, steps),
  ...healthy(hold(0, steps)),
  ...check('bootstrapped', hold(0, steps)),
  ...ready(hold(0, steps)),
  ...reason('bootstrapped', 'bootstrapping', hold(1, steps)),
  ...since('bootstrapped', hold(0, steps)),
  snowgauge_bootstrapping_subnets: hold(1, steps),
  ...where(well(steps), (key) => /^snowgauge_(?:chain|index)_(?:last_accepted|height)/.test(key), hold('_', steps)),
  'snowgauge_index_last_accepted_height{index="P/block"}': indexValues,
});

export const healthFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'the chain of one subnet fails, and only in its own tag set',
    series: node(25, failing(l1, 'vm-dead', 25, 5, 20, ['my-l1'])),
    steps: 25,
    at: 15,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is unhealthy for tag set my-l1.',
    description: `Condition Healthy of node (validator-0) is not True for tag set my-l1. Failing checks: ${l1} (vm-dead).`,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'the node reports unhealthy and names no check',
    series: node(25, {
      'snowgauge_health_healthy{tag_set="all"}': inTurn(hold(1, 5), hold(0, 20)),
      'snowgauge_health_healthy{tag_set="my-l1"}': hold(1, 25),
      ...healthyCondition(inTurn(hold(1, 5), hold(0, 20)), ['all']),
    }),
    steps: 25,
    at: 15,
    summary: 'node (validator-0) is unhealthy.',
    description: 'Condition Healthy of node (validator-0) is not True. Tag sets: all.',
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a check fails in a report that says healthy',
    series: node(25, {
      ...failing(l1, 'vm-dead', 25, 5, 20, ['my-l1']),
      ...perTagSet('snowgauge_health_healthy', hold(1, 25)),
    }),
    steps: 25,
    at: 15,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is unhealthy for tag set my-l1.',
    description: `Condition Healthy of node (validator-0) is not True for tag set my-l1. Failing checks: ${l1} (vm-dead).`,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'one of four nodes lacks stake that the others are connected to',
    series: {
      ...node(25, failing('P', 'stake-disconnected', 25, 5, 20, ['all'])),
      ...scraped(well(25), 1),
      ...scraped(well(25), 2),
      ...scraped(well(25), 3),
    },
    steps: 25,
    at: 15,
    summary: 'node (validator-0) is unhealthy.',
    description: 'Condition Healthy of node (validator-0) is not True. Failing checks: P (stake-disconnected). Tag sets: all.',
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a tag set is unhealthy, and the untagged report that names the check is missing',
    series: node(25, {
      ...healthy(inTurn(hold(1, 5), hold(0, 20)), ['my-l1']),
      ...where(well(25), (key) => key.startsWith('snowgauge_check_healthy'), inTurn(hold(1, 5), 'stale')),
      ...where(well(25), (key) => /^snowgauge_(?:bootstrapping|chain)/.test(key), hold('_', 25)),
    }),
    steps: 25,
    at: 15,
    summary: 'node (validator-0) is unhealthy.',
    description: 'Condition Healthy of node (validator-0) is not True. Tag sets: my-l1.',
  },
  {
    alert: 'SnowgaugeCheckFailing',
    title: 'a check has failed for over an hour',
    series: node(80, failing('C', 'other', 80, 5, 75, ['all'])),
    steps: 80,
    at: 70,
    summary: 'Checks of node (validator-0) have been failing for 1h 5m 0s.',
    description:
      'Checks of node (validator-0) have failed in every run for 1h 5m 0s. They are unlikely to recover by themselves. Failing checks: C (other). Tag sets: all.',
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'a tag set that was ready has not been ready for 15 minutes',
    series: node(30, ready(inTurn(hold(1, 5), hold(0, 25)), ['my-l1'])),
    steps: 30,
    at: 20,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is no longer ready for tag set my-l1.',
    description:
      'Condition Ready of node (validator-0) is not True for tag set my-l1, and was before. A node whose readiness probe uses snowgauge receives no traffic.',
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'the readiness of a tag set has been unknown for 15 minutes',
    series: node(30, {
      ...ready(inTurn(hold(1, 5), hold(0, 25)), ['my-l1']),
      'snowgauge_target_condition{condition="Ready",tag_set="my-l1",status="false"}': hold(0, 30),
      'snowgauge_target_condition{condition="Ready",tag_set="my-l1",status="unknown"}': inTurn(hold(0, 5), hold(1, 25)),
    }),
    steps: 30,
    at: 20,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is no longer ready for tag set my-l1.',
    description:
      'Condition Ready of node (validator-0) is not True for tag set my-l1, and was before. A node whose readiness probe uses snowgauge receives no traffic.',
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'bootstrapping has made no progress for a day',
    series: node(310, bootstrapping(54, hold(5, 54)), 1800),
    steps: 54,
    seconds: 1800,
    at: 49,
    summary: 'node (validator-0) is bootstrapping 1 subnet without progress.',
    description:
      'node (validator-0) is still bootstrapping 1 subnet, but no subnet finished, no chain was added and no index of a bootstrapping chain grew.',
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'a new subnet has made no progress for a day, and the indexes of chains that run grow',
    series: node(310, tracksAnother(54, 2), 1800),
    steps: 54,
    seconds: 1800,
    at: 51,
    summary: 'node (validator-0) is bootstrapping 1 subnet without progress.',
    description:
      'node (validator-0) is still bootstrapping 1 subnet, but no subnet finished, no chain was added and no index of a bootstrapping chain grew.',
  },
  {
    alert: 'SnowgaugeUnknownTag',
    title: 'a tag has matched no check for an hour',
    series: node(80, { [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: inTurn(hold(1, 5), hold(0, 75)) }),
    steps: 80,
    at: 65,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) has no check for a tag of tag set my-l1.',
    description: `A tag of tag set my-l1 selects no check of node (validator-0): the tag is misspelled, or the node does not track the subnet. The health of the tag set is meaningless. Tags: ${l1}.`,
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'the database is closed, and every chain fails because of it',
    series: node(30, {
      ...Object.assign({}, ...['database', 'C', 'P'].map((name) => failing(name, 'database', 30, 5, 25))),
      ...ready(inTurn(hold(1, 5), hold(0, 25))),
    }),
    steps: 30,
    at: 20,
    summary: 'node (validator-0) is no longer ready.',
    description:
      'Condition Ready of node (validator-0) is not True, and was before. A node whose readiness probe uses snowgauge receives no traffic. Root cause: the database; the other checks follow from it. Failing checks: C (database) P (database) database (database). Tag sets: all my-l1.',
  },
];

export const healthQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'an unhealthy node has been Unknown since its restart',
    series: node(25, {
      ...failing(l1, 'vm-dead', 25, 5, 20, ['my-l1']),
      'snowgauge_target_condition{condition="Healthy",tag_set="my-l1",status="false"}': hold(0, 25),
      'snowgauge_target_condition{condition="Healthy",tag_set="my-l1",status="unknown"}': inTurn(hold(0, 5), hold(1, 20)),
    }),
    steps: 25,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a check fails for 9 minutes',
    series: node(25, failing('router', 'router', 25, 5, 9)),
    steps: 25,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a tag set has a failing check that the untagged report does not have',
    series: node(25, {
      ...healthy(inTurn(hold(1, 5), hold(0, 20)), ['my-l1']),
      ...check(l1, inTurn(hold(1, 5), 'stale')),
    }),
    steps: 25,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a subnet bootstraps, which makes every tag set unhealthy',
    series: node(40, {
      ...failing('bootstrapped', 'bootstrapping', 40, 5, 35),
      snowgauge_bootstrapping_subnets: inTurn(hold(0, 5), hold(1, 35)),
    }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeUnhealthy',
    title: 'a chain that bootstraps is not connected to stake',
    series: node(40, {
      ...failing(l1, 'stake-disconnected', 40, 5, 35, ['my-l1']),
      ...where(well(40), (key) => key.startsWith('snowgauge_chain_last') && key.includes(l1), inTurn(hold(9, 5), 'stale')),
    }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeCheckFailing',
    title: 'a check fails for 59 minutes',
    series: node(80, failing('C', 'other', 80, 5, 59, ['all'])),
    steps: 80,
  },
  {
    alert: 'SnowgaugeCheckFailing',
    title: 'the clock of the node is ten minutes behind, and the failure 55 minutes old',
    series: node(70, {
      ...failing('C', 'other', 70, 5, 65, ['all']),
      snowgauge_clock_skew_seconds: hold(-600, 70),
      ...since('C', inTurn(hold('_', 5), hold(-300, 65))),
    }),
    steps: 65,
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'a tag set is unready for 14 minutes',
    series: node(30, ready(inTurn(hold(1, 5), hold(0, 14), hold(1, 11)), ['my-l1'])),
    steps: 30,
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'a tag set has never been ready',
    series: node(40, ready(hold(0, 40), ['my-l1'])),
    steps: 40,
  },
  {
    alert: 'SnowgaugeReadinessLost',
    title: 'no check has run since: SnowgaugeHealthFrozen',
    series: node(30, {
      ...ready(inTurn(hold(1, 5), hold(0, 25)), ['my-l1']),
      snowgauge_health_frozen: inTurn(hold(0, 5), hold(1, 25)),
    }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'a tag set was ready within the day: SnowgaugeReadinessLost',
    series: node(54, { ...bootstrapping(54, hold(5, 54)), ...ready(inTurn(hold(1, 10), hold(0, 44)), ['my-l1']) }, 1800),
    steps: 54,
    seconds: 1800,
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'an index grows by a container occasionally',
    series: node(54, bootstrapping(54, inTurn(hold(5, 40), hold(6, 14))), 1800),
    steps: 54,
    seconds: 1800,
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'a chain appears, which is progress too',
    series: node(54, { ...bootstrapping(54, hold(5, 54)), ...check('2ndChain', inTurn(hold('_', 40), hold(1, 14))) }, 1800),
    steps: 54,
    seconds: 1800,
  },
  {
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    title: 'bootstrapping finished in between and started again',
    series: node(
      54,
      {
        ...bootstrapping(54, hold(5, 54)),
        snowgauge_bootstrapping_subnets: inTurn(hold(1, 30), hold(0, 1), hold(1, 23)),
      },
      1800,
    ),
    steps: 54,
    seconds: 1800,
  },
  {
    alert: 'SnowgaugeUnknownTag',
    title: 'the subnet becomes known after 59 minutes',
    series: node(80, { [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: inTurn(hold(0, 59), hold(1, 21)) }),
    steps: 80,
  },
  {
    alert: 'SnowgaugeUnknownTag',
    title: 'the node bootstraps and cannot know its subnets yet',
    series: node(80, { ...bootstrapping(80, grow(1, 1, 80)), [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: hold(0, 80) }),
    steps: 80,
  },
];
