// Joins of the checks of a tag set with the facts about each check, and their results for one exporter with two nodes.

import { joins as documented } from '../../scripts/docs/joins.ts';
import { grow, hold, inTurn, l1, type Series, scraped } from './series.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Join {
  readonly title: string;
  readonly expr: string;
  /** Labels besides those of every series of the node -> value. */
  readonly answers: readonly (readonly [labels: Labels, value: number])[];
  /** The common labels of the results if they are not those of the node. */
  readonly common?: Labels;
}

export const steps = 11;
const failing = inTurn(hold(1, 5), hold(0, 6));

/** The chain of subnet my-l1 has been failing since minute 5. The second node tracks no subnet and is healthy. */
export const world: Series = {
  ...scraped({
    snowgauge_up: hold(1, steps),
    'snowgauge_tag_set_check_info{tag_set="all",check="router"}': hold(1, steps),
    'snowgauge_tag_set_check_info{tag_set="all",check="C"}': hold(1, steps),
    [`snowgauge_tag_set_check_info{tag_set="all",check="${l1}"}`]: hold(1, steps),
    'snowgauge_tag_set_check_info{tag_set="my-l1",check="router"}': hold(1, steps),
    [`snowgauge_tag_set_check_info{tag_set="my-l1",check="${l1}"}`]: hold(1, steps),
    'snowgauge_check_healthy{check="router"}': hold(1, steps),
    'snowgauge_check_healthy{check="C"}': hold(1, steps),
    [`snowgauge_check_healthy{check="${l1}"}`]: failing,
    'snowgauge_check_duration_seconds{check="router"}': hold(0.125, steps),
    'snowgauge_check_duration_seconds{check="C"}': hold(0.5, steps),
    [`snowgauge_check_duration_seconds{check="${l1}"}`]: hold(0.25, steps),
    [`snowgauge_check_failure_reason{check="${l1}",reason="vm-dead"}`]: inTurn(hold('_', 5), hold(1, 6)),
    [`snowgauge_check_first_failure_timestamp_seconds{check="${l1}"}`]: inTurn(hold('_', 5), hold(300, 6)),
    'snowgauge_check_transitions_total{check="router",to="failing"}': hold(0, steps),
    'snowgauge_check_transitions_total{check="C",to="failing"}': hold(0, steps),
    [`snowgauge_check_transitions_total{check="${l1}",to="failing"}`]: inTurn(hold(0, 5), hold(1, 6)),
    [`snowgauge_check_transitions_total{check="${l1}",to="passing"}`]: hold(0, steps),
    'snowgauge_chain_connected_ratio{chain="C"}': hold(0.9, steps),
    [`snowgauge_chain_connected_ratio{chain="${l1}"}`]: hold(0.95, steps),
    snowgauge_clock_skew_seconds: hold(1, steps),
    snowgauge_bootstrapping_subnets: hold(0, steps),
    'snowgauge_target_condition{condition="Ready",tag_set="all",status="true"}': hold(1, steps),
    'snowgauge_target_condition{condition="Ready",tag_set="all",status="false"}': hold(0, steps),
    'snowgauge_target_condition{condition="Ready",tag_set="all",status="unknown"}': hold(0, steps),
    'snowgauge_target_condition{condition="Ready",tag_set="my-l1",status="true"}': failing,
    'snowgauge_target_condition{condition="Ready",tag_set="my-l1",status="false"}': inTurn(hold(0, 5), hold(1, 2), hold(0, 4)),
    'snowgauge_target_condition{condition="Ready",tag_set="my-l1",status="unknown"}': inTurn(hold(0, 7), hold(1, 4)),
    'snowgauge_target_condition{condition="Healthy",tag_set="all",status="true"}': failing,
    'snowgauge_target_condition{condition="Healthy",tag_set="all",status="false"}': inTurn(hold(0, 5), hold(1, 6)),
    'snowgauge_target_condition{condition="Healthy",tag_set="my-l1",status="false"}': inTurn(hold(0, 5), hold(1, 2), hold(0, 4)),
    'snowgauge_target_condition{condition="Healthy",tag_set="my-l1",status="unknown"}': inTurn(hold(0, 7), hold(1, 4)),
    'snowgauge_target_condition{condition="Live",status="true"}': hold(1, steps),
    'snowgauge_polls_total{api="health",outcome="ok"}': grow(2, 2, steps),
    'snowgauge_polls_total{api="health",outcome="timeout"}': inTurn(hold('_', 6), hold(1, 5)),
    'snowgauge_polls_total{api="health",outcome="refused"}': inTurn(hold(7, 4), hold(9, 7)),
    'snowgauge_polls_total{api="health",outcome="reset"}': hold(5, steps),
  }),
  ...scraped(
    {
      snowgauge_up: hold(1, steps),
      'snowgauge_tag_set_check_info{tag_set="all",check="router"}': hold(1, steps),
      'snowgauge_check_healthy{check="router"}': hold(1, steps),
      'snowgauge_check_transitions_total{check="router",to="failing"}': hold(0, steps),
      'snowgauge_polls_total{api="health",outcome="ok"}': grow(2, 2, steps),
    },
    0,
    'other',
  ),
};

const perNode: Labels = { job: 'snowgauge', instance: '10.0.0.1:9652', target: 'node' };

const answered: Readonly<Record<keyof typeof documented, Pick<Join, 'answers' | 'common'>>> = {
  'Does each check of a subnet pass?': {
    answers: [
      [{ tag_set: 'my-l1', check: 'router' }, 1],
      [{ tag_set: 'my-l1', check: l1 }, 0],
    ],
  },
  'How many checks fail for each tag set?': {
    common: perNode,
    answers: [
      [{ tag_set: 'all' }, 1],
      [{ tag_set: 'my-l1' }, 1],
    ],
  },
  'Which checks fail for which tag sets, and why?': {
    answers: [
      [{ tag_set: 'all', check: l1, reason: 'vm-dead' }, 1],
      [{ tag_set: 'my-l1', check: l1, reason: 'vm-dead' }, 1],
    ],
  },
  'For how long has each tag set had a failing check?': {
    common: perNode,
    answers: [
      [{ tag_set: 'all' }, 300],
      [{ tag_set: 'my-l1' }, 300],
    ],
  },
  'Which check of each tag set takes longest?': {
    answers: [
      [{ tag_set: 'all', check: 'C' }, 0.5],
      [{ tag_set: 'my-l1', check: l1 }, 0.25],
    ],
  },
  'What is the lowest connected stake among the chains of each tag set?': {
    common: perNode,
    answers: [
      [{ tag_set: 'all' }, 0.9],
      [{ tag_set: 'my-l1' }, 0.95],
    ],
  },
  'How often did a check of a subnet begin to fail within an hour, over all nodes?': {
    common: {},
    answers: [
      [{ tag_set: 'my-l1', check: 'router' }, 0],
      [{ tag_set: 'my-l1', check: l1 }, 1],
    ],
  },
};

/** The joins of docs/metrics.md. */
export const joins: readonly Join[] = Object.entries<Pick<Join, 'answers' | 'common'>>(answered).map(([title, of]) => ({
  title,
  expr: new Map<string, string>(Object.entries(documented)).get(title) ?? '',
  ...of,
}));

const identified: Labels = { namespace: 'avalanche', pod: 'validator-0', target: 'node' };

/** The joins in the recording rules; round() drops their metric names. */
export const recorded: readonly Join[] = [
  {
    title: 'each check of each tag set has its health',
    expr: 'round(snowgauge:tag_set_check_healthy{target="node"})',
    common: identified,
    answers: [
      [{ tag_set: 'all', check: 'router' }, 1],
      [{ tag_set: 'all', check: 'C' }, 1],
      [{ tag_set: 'all', check: l1 }, 0],
      [{ tag_set: 'my-l1', check: 'router' }, 1],
      [{ tag_set: 'my-l1', check: l1 }, 0],
    ],
  },
  {
    title:
      'a failure stands for each tag set that has the check, with its reason and its age, in which the skew of the clocks is corrected',
    expr: 'round(snowgauge:tag_set_check_failing_seconds)',
    common: identified,
    answers: [
      [{ tag_set: 'all', check: l1, reason: 'vm-dead' }, 301],
      [{ tag_set: 'my-l1', check: l1, reason: 'vm-dead' }, 301],
    ],
  },
  {
    title: 'a check that is a chain is a chain of each of its tag sets',
    expr: 'round(snowgauge:tag_set_chain_info)',
    answers: [
      [{ tag_set: 'all', chain: 'C' }, 1],
      [{ tag_set: 'all', chain: l1 }, 1],
      [{ tag_set: 'my-l1', chain: l1 }, 1],
    ],
  },
  {
    title: 'what is not ready, or unknown, is 0',
    expr: 'round(snowgauge:ready)',
    common: identified,
    answers: [
      [{ tag_set: 'all' }, 1],
      [{ tag_set: 'my-l1' }, 0],
    ],
  },
  {
    title: 'what is unhealthy is 1, and what is unknown is not',
    expr: 'round(snowgauge:unhealthy)',
    common: identified,
    answers: [
      [{ tag_set: 'all' }, 1],
      [{ tag_set: 'my-l1' }, 0],
    ],
  },
  {
    title: 'the first failure of a kind counts, and so do later ones; what has not grown does not',
    expr: 'round(snowgauge:poll_failures)',
    answers: [
      [{ api: 'health', outcome: 'timeout' }, 1],
      [{ api: 'health', outcome: 'refused' }, 2],
    ],
  },
];
