// Alerts on the rewards of a validator, and on the fees of its L1 validators. They are about weeks: maintenance windows and other alerts on
// the node do not hide them, and they hide no others.

import { type Alert, dashboards, type Terms } from './rule.ts';
import { theNode } from './texts.ts';
import { primary } from './validator-inputs.ts';

const until = '{{ if gt $value 0.0 }}in {{ $value | humanizeDuration }}{{ else }}already{{ end }}';

/** Remaining time of the balance of an active L1 validator. */
const balanceLasts = ({ set }: Terms): string => `snowgauge:l1_balance_end - time()
unless on (${set.identity}, subnet)
snowgauge:l1_active == 0`;

const always = { scope: 'validator', inMaintenance: true, dashboard: dashboards.validator } as const;

export const validatorAlerts: readonly Alert[] = [
  {
    ...always,
    name: 'SnowgaugeRewardAtRisk',
    severity: 'critical',
    when: 'the downtime left of a validator is used up within `rewardTimeLeft`, at its rate over `rewardTrendWindow`, or because the node is down now',
    expr: ({ set }) => `snowgauge:uptime_budget_gone_in < ${set.rewardTimeLeft}
unless on (${set.identity})
snowgauge:validator_reward{state="lost"} == 1`,
    for: '15m',
    summary: `${theNode} is about to lose its staking reward.`,
    description: `At the current rate, the downtime that ${theNode} has left under the uptime requirement is used up ${until}. After that, the reward of the whole staking period is lost.`,
  },
  {
    ...always,
    name: 'SnowgaugeUptimeLow',
    severity: 'warning',
    when: 'the uptime of a validator so far does not meet the requirement, or validators with less than half of the stake have seen it met: the reward is at risk',
    expr: () => 'snowgauge:validator_reward{state="at-risk"} == 1',
    for: '1h',
    summary: `The uptime of ${theNode} is below the requirement.`,
    description: `If the staking period of ${theNode} ended now, it would not be paid. The reward can still be reached if the node stays up and connected.`,
  },
  {
    ...always,
    name: 'SnowgaugeRewardLost',
    severity: 'warning',
    when: 'validators with most of the stake can no longer see the uptime requirement met before the staking period ends',
    expr: () => 'snowgauge:validator_reward{state="lost"} == 1',
    for: '15m',
    summary: `${theNode} has lost its staking reward.`,
    description: `Even if ${theNode} stays up from now on, validators with most of the stake will have seen less uptime than required when its staking period ends.`,
  },
  {
    ...always,
    name: 'SnowgaugeStakingEndsSoon',
    severity: 'warning',
    when: 'a staking period ends within `stakingEndsSoon`',
    // For a node that is down, the last known staking period may be over.
    expr: ({ set }) => `(snowgauge:stake_end > time()) - time() < ${set.stakingEndsSoon}`,
    for: '15m',
    summary: `The staking period of ${theNode} ends in {{ $value | humanizeDuration }}.`,
    description: `The staking period of ${theNode} in subnet {{ $labels.subnet }} ends in {{ $value | humanizeDuration }}. After that it is not a validator until it is staked again.`,
  },
  {
    ...always,
    name: 'SnowgaugeNotValidator',
    severity: 'critical',
    when: 'the node is not in the validator set of the Primary Network, and `validator.expected` of its target says that it should be',
    expr: () => 'snowgauge:validator_expected == 0',
    for: '15m',
    summary: `${theNode} is not a validator.`,
    description: `${theNode} is expected to be a validator of the Primary Network, but is not in its validator set: its staking period has ended, or it runs with another staking key.`,
  },
  {
    ...always,
    name: 'SnowgaugeUptimeSeenWorse',
    severity: 'warning',
    when: 'within `uptimeWindow` the network saw a validator down for more than `uptimeSeenWorse`, beyond rounding to whole percent, but its exporter saw it up',
    // The uptime is in whole percent, rounded down, so it can drop by one at once. A node that has just restarted reports none.
    expr: ({ set }) => `(
  last_over_time(snowgauge:uptime_budget[1h] offset ${set.uptimeWindow}) - snowgauge:uptime_budget
)
- on (${set.identity})
0.01 * (time() - snowgauge:stake_start{${primary}})
> ${set.uptimeSeenWorse}
and on (${set.identity})
changes(snowgauge:stake_start{${primary}}[${set.uptimeWindow}]) == 0
and on (${set.identity})
avg_over_time(snowgauge:validator_up[${set.uptimeWindow}]) > 0.99`,
    for: '1h',
    summary: `The network sees ${theNode} down, but it is up.`,
    description: `Within <uptimeWindow> the other validators saw ${theNode} down for {{ $value | humanizeDuration }} in which it was up. They cannot reach it, or it cannot reach them: check the network, not the process.`,
  },
  {
    ...always,
    name: 'SnowgaugeValidatorBalanceLow',
    severity: 'warning',
    when: 'the balance of an active L1 validator will be used up within `balanceLow`, but not within `balanceVeryLow`, at the current fee',
    expr: (terms) => `(
${balanceLasts(terms)}
)
< ${terms.set.balanceLow}
>= ${terms.set.balanceVeryLow}`,
    for: '15m',
    summary: `The balance of L1 validator ${theNode} lasts {{ $value | humanizeDuration }}.`,
    description: `At the current fee, the balance of ${theNode} in subnet {{ $labels.subnet }} will be used up in {{ $value | humanizeDuration }}. Then the L1 validator becomes inactive.`,
  },
  {
    ...always,
    name: 'SnowgaugeValidatorBalanceEnding',
    severity: 'critical',
    when: 'the balance of an active L1 validator will be used up within `balanceVeryLow`, at the current fee',
    // For a node that is down, the last known end of the balance may be in the past.
    expr: (terms) => `clamp_min(
${balanceLasts(terms)},
0)
< ${terms.set.balanceVeryLow}`,
    for: '15m',
    summary: `The balance of L1 validator ${theNode} will be used up in {{ $value | humanizeDuration }}.`,
    description: `At the current fee, the balance of ${theNode} in subnet {{ $labels.subnet }} will be used up in {{ $value | humanizeDuration }}. Then the L1 validator becomes inactive, and does not validate.`,
  },
  {
    ...always,
    name: 'SnowgaugeValidatorInactive',
    severity: 'critical',
    when: 'an L1 validator has no balance left',
    expr: () => 'snowgauge:l1_active == 0',
    for: '5m',
    summary: `L1 validator ${theNode} is inactive.`,
    description: `${theNode} has no balance left for its fee in subnet {{ $labels.subnet }}, and does not validate there until its balance is increased.`,
  },
];
