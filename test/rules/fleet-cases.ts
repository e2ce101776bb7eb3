// Cases of the alerts on flapping and repeated restarts, and on failures that all nodes share.

import type { Fires, Quiet } from './case.ts';
import { failing } from './health-cases.ts';
import { condition, grow, hold, inTurn, losing, ready, type Series, scraped, well } from './series.ts';
import { maintained } from './world-parts.ts';

const node = (steps: number, changes: Series): Series => scraped({ ...well(steps), ...changes });

const frozen = (steps: number, from: number, minutes: number): Series => ({
  snowgauge_health_frozen: inTurn(hold(0, from), hold(1, minutes), hold(0, steps - from - minutes)),
  'snowgauge_health_frozen_suspect{check="C"}': inTurn(hold('_', from), hold(1, minutes), 'stale'),
});

/** This many of four nodes fail the check of the C-Chain, from minute 5 on. */
const fleetOf = (many: number, steps: number): Series =>
  Object.assign(
    {},
    ...[0, 1, 2, 3].map((at) =>
      scraped({ ...well(steps), ...(at < many && failing('C', 'block-processing', steps, 5, steps - 5, ['all'])) }, at),
    ),
  );

/** Both nodes of another site fail the check of the X-Chain from a step on. */
const otherSite = (steps: number, from: number): Series =>
  Object.assign(
    {},
    ...[4, 5].map((at) =>
      scraped({ ...well(steps), ...failing('X', 'vm-dead', steps, from, steps - from, ['all']) }, at, 'node', 'site="fra"'),
    ),
  );

/** A node of another operator that also fails. */
const others = (steps: number): Series =>
  scraped({ ...well(steps), ...failing('C', 'block-processing', steps, 5, steps - 5, ['all']) }, 9, 'other', 'reference="true"');

const live = (values: string): Series => condition('Live', values);

const flapping = (values: string): Series => ({ 'snowgauge_check_transitions_total{check="router",to="failing"}': values });

/** The annotations if a reference node fails as well. */
const networkFails = {
  steps: 25,
  at: 15,
  labels: { target: undefined, pod: undefined },
  summary: 'The network fails with 75% of the nodes in avalanche.',
  description:
    'Nodes of other operators fail the same checks: the cause is likely the network. Checks: C on 75% of the nodes. Reference nodes of others fail too: C.',
} as const;

export const fleetFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeErrorBudgetBurn',
    title: 'readiness is lost for two minutes of every six',
    series: node(150, ready(inTurn(hold(1, 78), ...Array.from({ length: 12 }, () => '0x1 1x3')))),
    steps: 150,
    at: 119,
    summary: 'node (validator-0) spends its error budget too fast.',
    description:
      'A tag set of node (validator-0) misses its objective for readiness, and no other alert on its readiness fires. Ready within the last hour: all 0.8 my-l1 0.8.',
  },
  {
    alert: 'SnowgaugeErrorBudgetBurn',
    title: 'readiness of one tag set is lost for two minutes of every six, and another has been unready for hours',
    series: node(150, {
      ...ready(hold(0, 150), ['all']),
      ...ready(inTurn(hold(1, 78), ...Array.from({ length: 12 }, () => '0x1 1x3')), ['my-l1']),
    }),
    steps: 150,
    at: 119,
    summary: 'node (validator-0) spends its error budget too fast.',
    description:
      'A tag set of node (validator-0) misses its objective for readiness, and no other alert on its readiness fires. Ready within the last hour: my-l1 0.8.',
  },
  {
    alert: 'SnowgaugeHealthFrozen',
    title: 'the checks have stopped for 2 minutes, and Live is False',
    series: node(15, { ...frozen(15, 5, 9), ...live(inTurn(hold(1, 7), hold(0, 8))) }),
    steps: 15,
    at: 7,
    summary: 'Health checks of node (validator-0) have stopped running.',
    description:
      'node (validator-0) responds, but no health check has run for frozenAfter check intervals (3 by default): one check hangs, and the reported health is outdated. Suspect: C. Condition Live is False: only a restart can help.',
  },
  {
    alert: 'SnowgaugeCheckFlapping',
    title: 'a check starts to fail for the fourth time',
    series: node(40, flapping(inTurn(hold(0, 10), hold(1, 4), hold(2, 4), hold(3, 4), hold(5, 18)))),
    steps: 40,
    at: 22,
    labels: { check: 'router' },
    summary: 'Check router of node (validator-0) is flapping: 5 failures.',
    description:
      'Check router of node (validator-0) started to fail 5 times within 1h. Each failure is too short for other alerts. Tag sets: all my-l1.',
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the node is restarted for the third time within an hour',
    series: node(60, { snowgauge_node_restarts_total: inTurn(hold(0, 10), hold(1, 10), hold(2, 10), hold(3, 30)) }),
    steps: 60,
    at: 30,
    summary: 'node (validator-0) is restarting: 3 times.',
    description:
      'node (validator-0) has restarted 3 times within 1h: it crashes, runs out of memory or disk, or a failing probe restarts it. It is never up long enough for other alerts.',
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the node keeps restarting after its maintenance window',
    series: node(60, {
      ...maintained(0, 20, 60),
      snowgauge_node_restarts_total: inTurn(grow(0, 1, 10), hold(10, 15), hold(11, 5), hold(12, 5), hold(13, 25)),
    }),
    steps: 60,
    at: 35,
    summary: 'node (validator-0) is restarting: 13 times.',
    description:
      'node (validator-0) has restarted 13 times within 1h: it crashes, runs out of memory or disk, or a failing probe restarts it. It is never up long enough for other alerts.',
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the node keeps restarting after its maintenance window and a restart of the exporter',
    series: node(60, {
      ...maintained(0, 20, 60),
      snowgauge_node_restarts_total: inTurn(grow(0, 1, 10), hold(10, 15), hold(0, 5), hold(1, 5), hold(2, 5), hold(3, 20)),
    }),
    steps: 60,
    at: 40,
    summary: 'node (validator-0) is restarting: 13 times.',
    description:
      'node (validator-0) has restarted 13 times within 1h: it crashes, runs out of memory or disk, or a failing probe restarts it. It is never up long enough for other alerts.',
  },
  {
    alert: 'SnowgaugeFleetFailing',
    title: 'three of four nodes fail the same check',
    series: fleetOf(3, 25),
    steps: 25,
    at: 15,
    labels: { target: undefined, pod: undefined },
    summary: '75% of the nodes in avalanche fail the same check.',
    description:
      'Your nodes fail together. Either the cause is yours: a shared firewall, uplink, provider or version. Or it is the network: then nodes of other operators fail too. Checks: C on 75% of the nodes. No reference node fails these checks, or none is watched.',
  },
  {
    alert: 'SnowgaugeFleetFailing',
    title: 'three of four nodes of a site fail the same check, and soon all of another site fail another one',
    set: ['identity=cluster, namespace, pod, target, site', 'fleet=site'],
    series: { ...fleetOf(3, 18), ...otherSite(18, 10) },
    steps: 18,
    at: 15,
    labels: { target: undefined, pod: undefined, namespace: undefined, site: 'ams' },
    summary: '75% of the nodes fail the same check.',
    description:
      'Your nodes fail together. Either the cause is yours: a shared firewall, uplink, provider or version. Or it is the network: then nodes of other operators fail too. Checks: C on 75% of the nodes. No reference node fails these checks, or none is watched.',
  },
  {
    alert: 'SnowgaugeNetworkEvent',
    title: 'a reference node of another operator fails too',
    series: { ...fleetOf(3, 25), ...others(25) },
    ...networkFails,
  },
  {
    alert: 'SnowgaugeNetworkEvent',
    title: 'a reference node of another operator fails too, and one of its scrapes is lost',
    series: { ...fleetOf(3, 25), ...losing(others(25), (step) => step === 8) },
    ...networkFails,
  },
];

export const fleetQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeErrorBudgetBurn',
    title: 'the node restarts once and is back after 9 minutes',
    series: node(200, ready(inTurn(hold(1, 100), hold(0, 9), hold(1, 91)))),
    steps: 200,
  },
  {
    alert: 'SnowgaugeErrorBudgetBurn',
    title: 'the node has bootstrapped for two hours and been ready since',
    series: node(240, ready(inTurn(hold(0, 120), hold(1, 120)))),
    steps: 240,
  },
  {
    alert: 'SnowgaugeErrorBudgetBurn',
    title: 'a tag set is removed from the configuration',
    series: node(240, ready(inTurn(hold(1, 60), 'stale'), ['my-l1'])),
    steps: 240,
  },
  {
    alert: 'SnowgaugeHealthFrozen',
    title: 'the checks run again after a minute',
    series: node(15, frozen(15, 5, 2)),
    steps: 15,
  },
  {
    alert: 'SnowgaugeHealthFrozen',
    title: 'the node does not answer, so that its readiness is unknown',
    series: node(15, { ...frozen(15, 5, 4), snowgauge_up: inTurn(hold(1, 5), hold(0, 4), hold(1, 6)) }),
    steps: 15,
  },
  {
    alert: 'SnowgaugeCheckFlapping',
    title: 'a check starts to fail three times in an hour',
    series: node(60, flapping(inTurn(hold(0, 10), hold(1, 10), hold(2, 10), hold(3, 30)))),
    steps: 60,
  },
  {
    alert: 'SnowgaugeCheckFlapping',
    title: 'the counter of the exporter restarts from a high value',
    series: node(60, flapping(inTurn(hold(40, 20), hold(0, 40)))),
    steps: 60,
  },
  {
    alert: 'SnowgaugeCheckFlapping',
    title: 'a check starts to fail four times in a maintenance window',
    series: node(60, {
      ...flapping(inTurn(hold(0, 10), hold(1, 3), hold(2, 3), hold(3, 3), hold(4, 41))),
      ...maintained(5, 20, 60),
    }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeFleetFailing',
    title: 'two of four nodes fail, which other alerts report',
    series: fleetOf(2, 25),
    steps: 25,
  },
  {
    alert: 'SnowgaugeFleetFailing',
    title: 'the nodes fail for different checks',
    series: {
      ...node(25, failing('C', 'block-processing', 25, 5, 20, ['all'])),
      ...scraped({ ...well(25), ...failing('P', 'block-processing', 25, 5, 20, ['all']) }, 1),
      ...scraped({ ...well(25), ...failing('router', 'router', 25, 5, 20, ['all']) }, 2),
    },
    steps: 25,
  },
  {
    alert: 'SnowgaugeNetworkEvent',
    title: 'all of my nodes fail, and there is no reference node',
    series: fleetOf(4, 25),
    steps: 25,
  },
  {
    alert: 'SnowgaugeNetworkEvent',
    title: 'reference nodes fail, and mine do not',
    series: { ...fleetOf(0, 25), ...others(25) },
    steps: 25,
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the node is restarted twice within an hour',
    series: node(60, { snowgauge_node_restarts_total: inTurn(hold(0, 10), hold(1, 10), hold(2, 40)) }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the exporter restarts after a maintenance window in which the node restarted four times',
    series: node(60, {
      ...maintained(5, 20, 60),
      snowgauge_node_restarts_total: inTurn(hold(0, 10), grow(1, 1, 4), hold(4, 21), hold(0, 25)),
    }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeNodeRestarting',
    title: 'the exporter restarts, and its counter was high',
    series: node(60, { snowgauge_node_restarts_total: inTurn(hold(9, 10), hold(0, 50)) }),
    steps: 60,
  },
];
