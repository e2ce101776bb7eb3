// What the page lists about a validator.

import { counted, percent, span } from '../../text.ts';
import type { Fact, Level } from '../source.ts';
import { soon } from './dangers.ts';
import type { RewardState } from './reward.ts';
import type { L1Status, ValidatorDetails } from './status.ts';

const levels = { 'on-track': 'good', 'at-risk': 'warn', lost: 'bad', unknown: 'none', 'not-validator': 'none' } as const;
const answers = {
  'on-track': 'on track',
  'at-risk': 'at risk',
  lost: 'lost',
  unknown: 'unknown',
  'not-validator': 'not a validator',
} as const satisfies Readonly<Record<RewardState, string>>;

/** From nAVAX, rounded down to hundredths. */
const avax = (amount: number): string => `${Math.floor(amount / 1e7) / 100} AVAX`;

export const validatorFacts = (validator: ValidatorDetails): readonly Fact[] => {
  const { state, freshness, reward, lastError, l1s = [] } = validator;
  if (state !== 'on') return [];
  const name = 'Staking reward';
  const isMissing = reward?.state === 'not-validator' && validator.expected;
  return [
    reward === undefined
      ? {
          name,
          value: freshness === 'pending' ? 'not known yet' : 'unknown',
          ...(lastError !== undefined && { note: lastError }),
        }
      : { name, value: answers[reward.state], level: isMissing ? 'bad' : levels[reward.state], note: reward.message },
    ...uptimeFacts(validator),
    ...stakeFacts(validator),
    ...l1s.map(l1Fact),
  ];
};

const uptimeFacts = ({ uptime, witness, budgetSeconds }: ValidatorDetails): readonly Fact[] => {
  const { projected, rewardingStake = 0, connectedStake, requirement = 0 } = uptime ?? {};
  const seen = witness === undefined ? '' : `; ${witness.target} saw ${percent(witness.uptime)}`;
  const connected = connectedStake === undefined ? '' : `, connected ${percent(connectedStake)}`;
  const note = `${percent(requirement)} required; rewarding stake ${percent(rewardingStake)}${connected}${seen}`;
  return [
    ...(projected === undefined ? [] : [{ name: 'Uptime', value: percent(projected), note }]),
    ...(budgetSeconds === undefined ? [] : [{ name: 'Downtime left', value: budgetSeconds <= 0 ? 'none' : span(budgetSeconds) }]),
  ];
};

const stakeFacts = ({ stakeEnd, remainingSeconds = 0, stakeNavax, ...rest }: ValidatorDetails): readonly Fact[] => {
  const { potentialRewardNavax, delegations = 0 } = rest;
  const isSoon = remainingSeconds > 0 && remainingSeconds < soon.stakingEnds;
  return [
    ...(stakeEnd === undefined
      ? []
      : [
          {
            name: 'Staking ends',
            value: stakeEnd,
            ...(isSoon && { level: 'warn' as const }),
            ...(remainingSeconds > 0 && { note: `in ${span(remainingSeconds)}` }),
          },
        ]),
    ...(stakeNavax === undefined ? [] : [{ name: 'Stake', value: avax(stakeNavax), note: counted(delegations, 'delegation') }]),
    ...(potentialRewardNavax === undefined ? [] : [{ name: 'Potential reward', value: avax(potentialRewardNavax) }]),
  ];
};

const l1Fact = ({ subnet, active, balanceEnd, balanceSeconds = Number.POSITIVE_INFINITY }: L1Status): Fact => {
  const low: Level | undefined = balanceSeconds < soon.balanceLow ? 'warn' : undefined;
  const level = active === false || balanceSeconds < soon.balanceVeryLow ? 'bad' : low;
  const paid = balanceEnd === undefined ? 'balance unknown' : `paid until ${balanceEnd}`;
  return { name: 'L1 validator', value: active === false ? 'inactive' : paid, ...(level && { level }), note: subnet };
};
