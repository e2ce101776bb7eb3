// What the validators' observations come to: the network's view that a node answers, and the vote on its reward.

import {
  isStakingAt,
  type Observations,
  observationsOf,
  type StakeNetwork,
  type Staker,
  uptimeRequirementOf,
  weightOf,
} from './stake-network.ts';

/** What a connected validator says of the node. */
export interface Vote {
  readonly weight: number;
  /** Whole percent: peers tell no more. */
  readonly percent: number;
}

/** Cut off, not rounded, as the node does it. */
export const wholePercent = (share: number): number => Math.floor(share * 100);

/** In percent. Own stake counts as 100; stake that is not connected counts as 0. */
export const networkView = (own: number, whole: number, votes: readonly Vote[], requirement: number) => {
  let rewarding = own;
  let weighted = 100 * own;
  for (const { weight, percent } of votes) {
    weighted += percent * weight;
    if (percent / 100 >= requirement) rewarding += weight;
  }
  return { rewardingStakePercentage: (100 * rewarding) / whole, weightedAveragePercentage: weighted / whole };
};

/** A network with its observations made. */
export interface ObservedNetwork {
  readonly network: StakeNetwork;
  readonly observations: Observations;
  readonly weights: ReadonlyMap<Staker, number>;
}

export const observedNetwork = (network: StakeNetwork): ObservedNetwork => ({
  network,
  observations: observationsOf(network),
  weights: new Map(network.stakers.map((one) => [one, weightOf(one)])),
});

const stakingAt = ({ network }: ObservedNetwork, at: number): readonly Staker[] =>
  network.stakers.filter((one) => isStakingAt(one, at));

const sumOf = ({ weights }: ObservedNetwork, stakers: readonly Staker[]): number =>
  stakers.reduce((sum, one) => sum + (weights.get(one) ?? 0), 0);

/** Everything that the node with this NodeID would answer about itself; undefined where it is no validator at that time. */
export const standingAt = (given: ObservedNetwork, nodeId: string, at: number) => {
  const all = stakingAt(given, at);
  const own = all.find((one) => one.nodeId === nodeId);
  if (own === undefined) return undefined;
  const { network, observations } = given;
  const connected = all.filter((one) => one !== own && observations.isConnected(nodeId, one.nodeId, at));
  const whole = sumOf(given, all);
  const votes = connected.map(
    (one): Vote => ({ weight: given.weights.get(one) ?? 0, percent: wholePercent(observations.seen(one.nodeId, own, at)) }),
  );
  return {
    own,
    /** `info.uptime`, in percent. */
    view: networkView(sumOf(given, [own]), whole, votes, uptimeRequirementOf(own, network)),
    /** `networking.percentConnected` of check P: a share. */
    connectedStake: sumOf(given, [own, ...connected]) / whole,
    /** `observedUptime` of `info.peers`, by NodeID. */
    peers: new Map(connected.map((one, nth) => [one.nodeId, votes[nth]?.percent ?? 0])),
  };
};

/** `uptime` in the record that another validator gives of a node: percent, of its current period. */
export const recordedUptime = ({ observations }: ObservedNetwork, asked: string, of: Staker, at: number): number =>
  100 * observations.seen(asked, of, at);

/**
 * The vote at the end of a period: each validator that is up then votes by what it saw, to the second, and the stake decides. Its own
 * vote is always for it.
 */
export const rewardVote = (given: ObservedNetwork, of: Staker): { readonly share: number; readonly isPaid: boolean } => {
  const { network, observations } = given;
  const last = of.endTime - 1;
  const voters = stakingAt(given, last).filter(({ nodeId }) => observations.isUp(nodeId, last));
  const required = uptimeRequirementOf(of, network);
  const inFavour = voters.filter(({ nodeId }) => observations.seen(nodeId, of, of.endTime) >= required);
  const share = voters.length === 0 ? 0 : sumOf(given, inFavour) / sumOf(given, voters);
  return { share, isPaid: share > 0.5 };
};
