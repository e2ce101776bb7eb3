// Will the node be paid? A Primary Network validator gets its potential reward at the end of its staking period if the validators
// that hold most of the stake saw it up for the required part of that period.

import { lowestHopeful, type Outlook, outlook, type Period } from './uptime.ts';
import { answerError, mayStillVote, type NetworkView, reportedError } from './votes.ts';

export const rewardStates = ['on-track', 'at-risk', 'lost', 'unknown', 'not-validator'] as const;
export type RewardState = (typeof rewardStates)[number];

export type RewardReason =
  | 'RequirementMet'
  /** Of the stake, less than half saw enough of it so far. */
  | 'RewardingStakeLow'
  /** At this rate it ends below the requirement. */
  | 'UptimeBelowRequirement'
  /** The mean cannot reach the requirement any more, but half of the stake may have seen more than that. */
  | 'BudgetSpent'
  /** It cannot be reached any more, for more than half of the stake. */
  | 'RequirementOutOfReach'
  | 'ConnectedStakeLow'
  | 'ConnectedStakeUnknown'
  | 'UptimeUnknown'
  /** The P-Chain of the node does not answer until it is bootstrapped. */
  | 'Bootstrapping'
  | 'StakingPeriodUnknown'
  | 'RequirementUnknown'
  | 'NotValidator';

/** What is known; absent is unknown. */
export interface Evidence {
  readonly isValidator?: boolean;
  readonly isBootstrapping?: boolean;
  /** Of its own record. */
  readonly period?: Period;
  readonly requirement?: number;
  /** `connected` absent: the check of chain P does not say. */
  readonly view?: Omit<NetworkView, 'connected'> & Partial<Pick<NetworkView, 'connected'>>;
  /** What each connected peer says, as a ratio; absent where it is not known of all of them. */
  readonly reported?: readonly number[];
  /** What another watched node saw, as a ratio: more exact than whole percents, and the vote of one. */
  readonly witness?: number;
  /** By the clock of the P-Chain. */
  readonly now: number;
}

export interface Reward {
  readonly state: RewardState;
  readonly reason: RewardReason;
  readonly requirement?: number;
  /** Uptime so far, for the stake that is connected: what it ends at if the share of downtime stays the same. */
  readonly projected?: number;
  readonly outlook?: Outlook;
}

/** Share of connected stake below which the others' view says nothing: a node reports its chains as unhealthy below it. */
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

/** Bounds of the uptime so far. `view`: set if they are the network's view. */
interface UptimeBounds {
  readonly min: number;
  readonly max: number;
  readonly view?: NetworkView;
}

/** The response averages over all stake, so the stake that is not connected is removed. A witness is one of the averaged nodes. */
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
