// Metric families of a validator: its uptime as the network observed it, its staking period, its reward, and those of l1-families.ts.

import { oneOrNone } from '../../lists.ts';
import { type FamilyGroup, flag, group, type Row, readOnce } from '../../metrics/family.ts';
import type { Validator } from '../../protocol/platform.ts';
import { feeRows, l1Rows } from './l1-families.ts';
import { type RewardState, rewardStates } from './reward.ts';
import { type Shown, type StakingPeriod, shownAt } from './shown.ts';
import type { AssessedReward, ValidatorState } from './state.ts';

const beta = { stability: 'beta', type: 'gauge' } as const;
const ofTarget = { ...beta, labels: ['target'] } as const;
const ofSubnet = { ...beta, labels: ['target', 'subnet'] } as const;

const uptimeRows: readonly Row<NonNullable<Shown['uptime']>>[] = [
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_weighted_ratio',
    unit: 'ratio',
    help: 'Uptime of the node in its staking period as observed by the validators, weighted by stake. Validators that are not connected count as 0, and whole percents are rounded down.',
    source: 'weightedAveragePercentage of info.uptime',
    nodeMetric: 'avalanche_network_node_uptime_weighted_average',
    value: ({ weighted }) => weighted,
  },
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_rewarding_stake_ratio',
    unit: 'ratio',
    help: 'Fraction of the stake whose validators are connected and observed at least the required uptime.',
    source: 'rewardingStakePercentage of info.uptime',
    nodeMetric: 'avalanche_network_node_uptime_rewarding_stake',
    value: ({ rewarding }) => rewarding,
  },
];

const derived = 'info.uptime, platform.getCurrentValidators, percentConnected of check P';

const rewardRows: readonly Row<AssessedReward>[] = [
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_projected_ratio',
    unit: 'ratio',
    help: 'Uptime at the end of the staking period if the share of downtime stays the same: the weighted uptime divided by the connected stake. No sample while less than 80 % of the stake is connected, unless another watched node observed the uptime.',
    source: 'info.uptime, percentConnected of check P',
    value: ({ projected }) => projected,
  },
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_requirement_ratio',
    unit: 'ratio',
    help: 'Uptime required for the reward of the staking period: 0.8, or 0.9 if it began after the Helicon upgrade.',
    source: 'the configuration; info.upgrades, startTime of platform.getCurrentValidators',
    value: ({ requirement }) => requirement,
  },
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_budget_seconds',
    unit: 'seconds',
    help: 'Downtime left until the requirement is out of reach. Negative if it is.',
    source: derived,
    value: ({ outlook }) => outlook?.budgetSeconds,
  },
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_best_possible_ratio',
    unit: 'ratio',
    help: 'Uptime at the end of the staking period if the node is never down again.',
    source: derived,
    value: ({ outlook }) => outlook?.bestPossible,
  },
  {
    ...ofTarget,
    name: 'snowgauge_node_uptime_witness_ratio',
    unit: 'ratio',
    help: 'Uptime of the node in its staking period as observed by another watched node of its network; the lowest value if several observed it. No sample if none did.',
    source: 'uptime of platform.getCurrentValidators of the other node',
    value: ({ witness }) => witness?.uptime,
  },
];

interface OneState {
  readonly of: AssessedReward;
  readonly state: RewardState;
}

const stateRows: readonly Row<OneState>[] = [
  {
    ...beta,
    labels: ['target', 'state'],
    name: 'snowgauge_validator_reward_state',
    unit: 'boolean',
    help: '1 for the current state of the reward of the staking period, 0 for the others: on-track, at-risk, lost (out of reach for most of the stake), unknown (too little stake connected, or no response), not-validator. Assessed after each run of check P: no sample once the last one is too old.',
    source: derived,
    value: ({ of, state }) => flag(of.state === state),
  },
];

const expectedRows: readonly Row<boolean>[] = [
  {
    ...ofTarget,
    name: 'snowgauge_target_validator_expected',
    unit: 'boolean',
    help: '1 if the node is a validator of the Primary Network as the configuration expects, 0 if it is not. No sample if it is not expected, or while unknown.',
    source: 'the configuration; platform.getCurrentValidators',
    value: flag,
  },
];

const asNumber = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value));

const recordRows: readonly Row<Validator>[] = [
  {
    ...ofTarget,
    name: 'snowgauge_validator_stake_navax',
    unit: 'none',
    help: 'Stake of the validator on the Primary Network in nAVAX, without delegations.',
    source: 'weight of platform.getCurrentValidators',
    value: ({ weight }) => asNumber(weight),
  },
  {
    ...ofTarget,
    name: 'snowgauge_validator_potential_reward_navax',
    unit: 'none',
    help: 'Reward in nAVAX at the end of the staking period if the uptime requirement is met.',
    source: 'potentialReward of platform.getCurrentValidators',
    value: ({ potentialReward }) => asNumber(potentialReward),
  },
  {
    ...ofTarget,
    name: 'snowgauge_validator_delegations',
    unit: 'count',
    help: 'Delegations to the validator.',
    source: 'delegatorCount of platform.getCurrentValidators',
    value: ({ delegatorCount }) => delegatorCount,
  },
  {
    ...ofTarget,
    name: 'snowgauge_validator_delegated_stake_navax',
    unit: 'none',
    help: 'Stake that is delegated to the validator in nAVAX.',
    source: 'delegatorWeight of platform.getCurrentValidators',
    value: ({ delegatorWeight }) => asNumber(delegatorWeight),
  },
];

const periodRows: readonly Row<StakingPeriod>[] = [
  {
    ...ofSubnet,
    name: 'snowgauge_validator_stake_start_timestamp_seconds',
    unit: 'timestamp',
    help: 'Start of the staking period, of the Primary Network and of legacy subnets.',
    source: 'startTime of platform.getCurrentValidators',
    value: ({ start }) => start,
  },
  {
    ...ofSubnet,
    name: 'snowgauge_validator_stake_end_timestamp_seconds',
    unit: 'timestamp',
    help: 'End of the staking period. No sample for an L1 validator.',
    source: 'endTime of platform.getCurrentValidators',
    nodeMetric: 'avalanche_platformvm_time_until_unstake (nanoseconds)',
    value: ({ end }) => end,
  },
];

const one = <Subject>(rows: readonly Row<Subject>[], of: (shown: Shown) => Subject | undefined): FamilyGroup<Shown> =>
  group<Shown, Subject>(rows, (shown) => oneOrNone(of(shown)));

const bySubnet = <Subject extends { readonly subnet: string }>(
  rows: readonly Row<Subject>[],
  of: (shown: Shown) => readonly Subject[],
): FamilyGroup<Shown> => group<Shown, Subject>(rows, of, ({ subnet }) => [subnet]);

export const validatorFamilies: readonly FamilyGroup<ValidatorState>[] = [
  readOnce<ValidatorState, Shown>(shownAt, [
    one(uptimeRows, ({ uptime }) => uptime),
    one(rewardRows, ({ reward }) => reward),
    group<Shown, OneState>(
      stateRows,
      ({ reward }) => oneOrNone(reward).flatMap((of) => rewardStates.map((state): OneState => ({ of, state }))),
      ({ state }) => [state],
    ),
    one(expectedRows, ({ isExpected, isValidator }) => (isExpected ? isValidator : undefined)),
    one(recordRows, ({ record }) => record),
    bySubnet(periodRows, ({ periods }) => periods),
    bySubnet(l1Rows, ({ l1s }) => l1s),
    one(feeRows, ({ feePrice, l1s }) => (l1s.length > 0 ? feePrice : undefined)),
  ]),
];
