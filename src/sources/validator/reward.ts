// Assesses whether the node will be rewarded. A Primary Network validator gets its potential reward at the end of its staking period if
// validators that hold most of the stake observed the required uptime in that period.

import { lowestHopeful, type Outlook, outlook, type Period } from './uptime.ts';
import { answerError, mayStillVote, type NetworkView, reportedError } from './votes.ts';

export const rewardStates = ['on-track', 'at-risk', 'lost', 'unknown', 'not-validator'] as const;
export type RewardState = (typeof rewardStates)[number];

export type RewardReason =
  | 'RequirementMet'
  /** Validators with less than half of the stake have observed the required uptime so far. */
  | 'RewardingStakeLow'
  /** If the share of downtime stays the same, the uptime ends below the requirement. */
  | 'UptimeBelowRequirement'
  /** The mean uptime can no longer reach the requirement, but half of the stake may have observed more than the mean. */
  | 'BudgetSpent'
  /** For more than half of the stake the requirement can no longer be reached. */
  | 'RequirementOutOfReach'
  | 'ConnectedStakeLow'
  | 'ConnectedStakeUnknown'
  | 'UptimeUnknown'
  /** The node's P-Chain does not respond until it is bootstrapped. */
  | 'Bootstrapping'
  | 'StakingPeriodUnknown'
  | 'RequirementUnknown'
  | 'NotValidator';

/** What is known. An absent field is unknown. */
export interface Evidence {
  readonly isValidator?: boolean;
  readonly isBootstrapping?: boolean;
  /** From the node's own record. */
  readonly period?: Period;
  readonly requirement?: number;
  /** `connected` is absent if check P does not report it. */
  readonly view?: Omit<NetworkView, 'connected'> & Partial<Pick<NetworkView, 'connected'>>;
  /** Uptime that each connected peer observed, as a ratio. Absent unless all of them report it. */
  readonly reported?: readonly number[];
  /** Uptime that another watched node observed, as a ratio: more exact than whole percents, but the vote of one validator. */
  readonly witness?: number;
  /** By the clock of the P-Chain, in seconds since the Unix epoch. */
  readonly now: number;
}

export interface Reward {
  readonly state: RewardState;
  readonly reason: RewardReason;
  readonly requirement?: number;
  /** Uptime so far as the connected stake observed it, and at the end if the share of downtime stays the same. */
  readonly projected?: number;
  readonly outlook?: Outlook;
}

/** Connected stake, as a ratio, below which the network's view is not used. A node reports its chains as unhealthy below it. */
export const enoughConnected = 0.8;

export const assessReward = ({
  isValidator,
  isBootstrapping,
  period,
  requirement,
  view,
  reported,
  witness,
  now,
}: Evidence): Reward => {
  if (isValidator === false) return { state: 'not-validator', reason: 'NotValidator' };
  if (isBootstrapping === true) return { state: 'unknown', reason: 'Bootstrapping' };
  if (period === undefined) return { state: 'unknown', reason: 'StakingPeriodUnknown' };
  if (requirement === undefined) return { state: 'unknown', reason: 'RequirementUnknown' };
  const seen = seenUptime(view, witness);
  if (seen === undefined) return { state: 'unknown', reason: unknownBecause(view), requirement };
  const figures = { requirement, projected: seen.min, outlook: outlook(seen.min, period, now, requirement) };
  if (seen.view === undefined) {
    const isLow = seen.min < requirement;
    return isLow
      ? { state: 'at-risk', reason: 'UptimeBelowRequirement', ...figures }
      : { state: 'unknown', reason: unknownBecause(view), ...figures };
  }
  const best = outlook(seen.max, period, now, requirement);
  const limits = { lowestHopeful: lowestHopeful(best, requirement), requirement };
  const isOutOfReach = best.bestPossible < requirement && mayStillVote(seen.view, limits, reported) < majority;
  return { ...(isOutOfReach ? lost : judged(seen.view, figures)), ...figures };
};

const majority = 0.5;
const lost = { state: 'lost', reason: 'RequirementOutOfReach' } as const;

type Judged = Pick<Reward, 'state' | 'reason'>;

const judged = ({ rewarding }: NetworkView, { requirement, projected, outlook }: Required<Figures>): Judged => {
  if (outlook.budgetSeconds < 0) return { state: 'at-risk', reason: 'BudgetSpent' };
  if (rewarding - answerError < majority) return { state: 'at-risk', reason: 'RewardingStakeLow' };
  return projected + answerError < requirement
    ? { state: 'at-risk', reason: 'UptimeBelowRequirement' }
    : { state: 'on-track', reason: 'RequirementMet' };
};

type Figures = Pick<Reward, 'requirement' | 'projected' | 'outlook'>;

/** Bounds of the uptime so far. `view`: set if they come from the network's view. */
interface UptimeBounds {
  readonly min: number;
  readonly max: number;
  readonly view?: NetworkView;
}

/** The node averages over all stake, so the stake that is not connected is removed. A witness is one of the averaged validators. */
const seenUptime = (view: Evidence['view'], witness: number | undefined): UptimeBounds | undefined => {
  const connected = Math.min(1, view?.connected ?? 0);
  if (view === undefined || connected < enoughConnected)
    return witness === undefined ? undefined : { min: witness, max: witness };
  const min = Math.min(1, view.weighted / connected);
  const max = Math.min(1, (view.weighted + answerError) / connected + reportedError);
  const exact = witness === undefined ? min : Math.min(Math.max(witness, min), max);
  return { min: exact, max, view: { ...view, connected } };
};

const unknownBecause = (view: Evidence['view']): RewardReason => {
  if (view === undefined) return 'UptimeUnknown';
  return view.connected === undefined ? 'ConnectedStakeUnknown' : 'ConnectedStakeLow';
};
