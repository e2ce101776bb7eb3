// What API and page show about a validator.

import { lastValue } from '../../snapshot/observed.ts';
import { isoOf, rounded } from '../../text.ts';
import { type ObservedStatus, observedStatus } from '../observed-status.ts';
import type { StatusContext } from '../source.ts';
import type { RewardReason, RewardState } from './reward.ts';
import { type L1, shownAt } from './shown.ts';
import type { ValidatorState, Witness } from './state.ts';

export interface ValidatorStatus {
  readonly validator: ValidatorDetails;
}

export interface L1Status extends Omit<L1, 'balance' | 'balanceEnd'> {
  readonly balanceNavax?: number;
  readonly balanceEnd?: string | undefined;
}

/** Times are RFC 3339 in UTC. Observations that are too old are left out. */
export interface ValidatorDetails extends ObservedStatus {
  /** off: the node does not serve it, or it is not asked */
  readonly state: 'on' | 'off' | 'unknown';
  /** `message`: the reason in words. */
  readonly reward?: { readonly state: RewardState; readonly reason: RewardReason; readonly message: string };
  /** Whether it is in the validator set of the Primary Network, and whether the configuration expects it to be. */
  readonly current?: boolean;
  readonly expected: boolean;
  /** Ratios, as in the metrics of the same names. */
  readonly uptime?: {
    readonly weighted: number;
    readonly rewardingStake: number;
    /** Needed to read the two above, in which stake that is not connected counts as 0. */
    readonly connectedStake?: number;
    readonly projected?: number;
    readonly bestPossible?: number;
    readonly requirement?: number;
  };
  /** The lowest uptime that another watched node observed in this staking period, as a ratio. */
  readonly witness?: Witness;
  readonly budgetSeconds?: number;
  readonly stakeStart?: string | undefined;
  readonly stakeEnd?: string | undefined;
  /** Until the end of the staking period, as of when the record was read. */
  readonly remainingSeconds?: number;
  readonly stakeNavax?: number;
  readonly potentialRewardNavax?: number;
  readonly delegations?: number;
  readonly l1s?: readonly L1Status[];
}

/** The reason of a reward in words. */
export const rewardWords = {
  RequirementMet: 'the uptime so far meets the requirement',
  RewardingStakeLow: 'less than half of the stake saw the node at or above the requirement',
  UptimeBelowRequirement: 'the uptime so far is below the requirement',
  BudgetSpent: 'the mean uptime cannot reach the requirement, but more than half of the stake may have seen more',
  RequirementOutOfReach: 'most of the stake can no longer see the requirement met',
  ConnectedStakeLow: 'less than 80 % of the stake is connected',
  ConnectedStakeUnknown: 'the connected stake is unknown',
  UptimeUnknown: 'the node does not report its uptime',
  Bootstrapping: 'the P-Chain is bootstrapping',
  StakingPeriodUnknown: 'the staking period is unknown',
  RequirementUnknown: 'the network upgrades are unknown',
  NotValidator: 'the node is not in the validator set of the Primary Network',
} as const satisfies Readonly<Record<RewardReason, string>>;

export const validatorStatus = (state: ValidatorState, context: StatusContext): ValidatorStatus => {
  const { uptime, reward, isValidator, isExpected, record, remainingSeconds, l1s } = shownAt(state, context);
  const { weight, potentialReward, delegatorCount, startTime, endTime } = record ?? {};
  const { projected, requirement, outlook, witness, connected } = reward ?? {};
  return {
    validator: {
      ...observedStatus(state.uptime, context),
      state: onOrOff(state, context),
      ...(reward && { reward: { state: reward.state, reason: reward.reason, message: rewardWords[reward.reason] } }),
      ...(isValidator !== undefined && { current: isValidator }),
      expected: isExpected,
      ...(uptime && {
        uptime: {
          weighted: uptime.weighted,
          rewardingStake: uptime.rewarding,
          ...(connected !== undefined && { connectedStake: connected }),
          ...(projected !== undefined && { projected }),
          ...(outlook && { bestPossible: outlook.bestPossible }),
          ...(requirement !== undefined && { requirement }),
        },
      }),
      ...(witness && { witness }),
      ...(outlook && { budgetSeconds: rounded(outlook.budgetSeconds) }),
      // The end of the period is known even if the reward is not.
      ...(remainingSeconds !== undefined && { remainingSeconds: rounded(outlook?.remainingSeconds ?? remainingSeconds) }),
      stakeStart: instantOf(startTime),
      stakeEnd: instantOf(endTime),
      ...(weight !== undefined && { stakeNavax: Number(weight) }),
      ...(potentialReward !== undefined && { potentialRewardNavax: Number(potentialReward) }),
      ...(delegatorCount !== undefined && { delegations: delegatorCount }),
      ...(l1s.length > 0 && { l1s: l1s.map(l1Status) }),
    },
  };
};

const onOrOff = ({ uptime, memberships }: ValidatorState, { options }: StatusContext): ValidatorDetails['state'] => {
  if (!options.validator.enabled) return 'off';
  const states = [uptime, ...memberships.values()].flatMap((one) => lastValue<{ readonly state: string }>(one) ?? []);
  if (states.some(({ state }) => state !== 'off')) return 'on';
  return states.length > 0 ? 'off' : 'unknown';
};

const l1Status = ({ balance, balanceEnd, balanceSeconds, ...rest }: L1): L1Status => ({
  ...rest,
  ...(balanceSeconds !== undefined && { balanceSeconds: rounded(balanceSeconds) }),
  ...(balance !== undefined && { balanceNavax: balance }),
  balanceEnd: instantOf(balanceEnd),
});

/** Undefined beyond the year 9999, which RFC 3339 cannot express: a balance may last longer, and a node may return any number. */
const instantOf = (at: number | undefined): string | undefined => (at === undefined || at > lastInstant ? undefined : isoOf(at));

const lastInstant = Date.UTC(9999, 11, 31) / 1000;
