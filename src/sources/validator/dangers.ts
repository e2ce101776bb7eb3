// Problems of a validator that need an operator, for the page and for `explain`.

import { span } from '../../text.ts';
import type { ValidatorDetails } from './status.ts';

const day = 86_400;

/** Seconds: the default thresholds of the alerts. */
export const soon = { stakingEnds: 7 * day, balanceLow: 14 * day, balanceVeryLow: 3 * day } as const;

export interface Danger {
  readonly kind: 'reward-lost' | 'reward-at-risk' | 'staking-ends' | 'l1-inactive' | 'l1-balance-low';
  /** One line, without a full stop. */
  readonly message: string;
}

type Subject = Pick<ValidatorDetails, 'reward' | 'budgetSeconds' | 'remainingSeconds' | 'l1s'>;

export const dangersOf = ({ reward, budgetSeconds = 0, remainingSeconds, l1s = [] }: Subject): readonly Danger[] => [
  ...(reward?.state === 'lost'
    ? [{ kind: 'reward-lost' as const, message: `the staking reward is lost: ${reward.message}` }]
    : []),
  ...(reward?.state === 'at-risk'
    ? [
        {
          kind: 'reward-at-risk' as const,
          message: `the staking reward is at risk: ${reward.message}; downtime left: ${budgetSeconds > 0 ? span(budgetSeconds) : 'none'}`,
        },
      ]
    : []),
  ...(remainingSeconds !== undefined && remainingSeconds < soon.stakingEnds
    ? [{ kind: 'staking-ends' as const, message: `the staking period ends in ${span(remainingSeconds)}` }]
    : []),
  ...l1s.flatMap(({ subnet, active, balanceSeconds }): readonly Danger[] => {
    const who = `the L1 validator of subnet ${subnet}`;
    if (active === false) return [{ kind: 'l1-inactive', message: `${who} is inactive: it has no balance left for its fee` }];
    if (balanceSeconds === undefined || balanceSeconds >= soon.balanceLow) return [];
    const message = `the balance of ${who} lasts ${span(balanceSeconds)} at the current fee`;
    return [{ kind: 'l1-balance-low', message }];
  }),
];
