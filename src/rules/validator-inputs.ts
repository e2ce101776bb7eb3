// Inputs of the rules on validators: the staking period, the uptime seen by the network, and the L1 balances.

import type { Recording, RuleInput } from './rule.ts';

export const validatorInputs: readonly RuleInput[] = [
  {
    record: 'snowgauge:validator_reward',
    help: '1 for the current state of the reward.',
    by: 'max',
    family: 'snowgauge_validator_reward_state',
    labels: ['state'],
    kept: true,
  },
  {
    record: 'snowgauge:validator_expected',
    help: '1 if the node is a validator as the configuration expects, 0 if it is not.',
    by: 'max',
    family: 'snowgauge_target_validator_expected',
    kept: true,
  },
  {
    record: 'snowgauge:uptime_budget',
    help: 'Downtime left until the uptime requirement is out of reach, in seconds.',
    by: 'max',
    family: 'snowgauge_node_uptime_budget_seconds',
  },
  {
    record: 'snowgauge:uptime_projected',
    help: 'Uptime at the end of the staking period if the share of downtime stays the same.',
    by: 'min',
    family: 'snowgauge_node_uptime_projected_ratio',
  },
  {
    record: 'snowgauge:stake_start',
    help: 'Start of the staking period.',
    by: 'min',
    family: 'snowgauge_validator_stake_start_timestamp_seconds',
    labels: ['subnet'],
  },
  {
    record: 'snowgauge:stake_end',
    help: 'End of the staking period.',
    by: 'max',
    family: 'snowgauge_validator_stake_end_timestamp_seconds',
    labels: ['subnet'],
    kept: true,
  },
  {
    record: 'snowgauge:l1_active',
    help: '1 if the L1 validator is active.',
    by: 'max',
    family: 'snowgauge_l1_validator_active',
    labels: ['subnet'],
    kept: true,
  },
  {
    record: 'snowgauge:l1_balance_end',
    help: 'Time at which the balance of the L1 validator is gone.',
    by: 'max',
    family: 'snowgauge_l1_validator_balance_end_timestamp_seconds',
    labels: ['subnet'],
    kept: true,
  },
];

/** The Primary Network: only its validators get staking rewards. */
export const primary = 'subnet="11111111111111111111111111111111LpoYY"';

export const validatorUp: Recording = {
  record: 'snowgauge:validator_up',
  help: '`snowgauge:up` of each validator of the Primary Network, and 0 while it is not watched.',
  expr: ({ set }) => `(
  snowgauge:up
  or on (${set.identity})
  0 * group by (${set.identity}) (snowgauge:network)
)
and on (${set.identity})
last_over_time(snowgauge:stake_start{${primary}}[${set.exporterSeenWithin}])`,
};

export const validatorRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:uptime_budget_end',
    help: 'Time at which the downtime left is used up if the node is down from now on; while the node is down, from the time it went down.',
    expr: ({ set, kept }) => kept('snowgauge:uptime_budget + time()', 'snowgauge:uptime_budget_end', [], set.rewardTrendWindow),
  },
  {
    record: 'snowgauge:reward_due',
    help: 'End of the staking period of the Primary Network that runs, also while the node is down.',
    expr: ({ set, kept }) =>
      `(${kept(`snowgauge:stake_end{${primary}}`, 'snowgauge:reward_due', [], set.rewardTrendWindow)}) > time()`,
  },
  {
    record: 'snowgauge:uptime_budget_gone_in',
    help: 'Seconds until the downtime left is used up: at the current rate, or with continuous downtime if the node is down. No sample if the staking period ends before.',
    expr: ({ set }) => `(
  (
    snowgauge:uptime_budget
    / clamp_max(-(deriv(snowgauge:uptime_budget[${set.rewardTrendWindow}]) < 0), 1)
    and on (${set.identity})
    changes(snowgauge:stake_start{${primary}}[${set.rewardTrendWindow}]) == 0
  )
  or
  (
    snowgauge:uptime_budget_end - time()
    and on (${set.identity})
    snowgauge:up == 0
  )
)
< on (${set.identity})
snowgauge:reward_due - time()`,
  },
];
