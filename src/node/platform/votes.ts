// What the validators' observations add up to: the network's view of a node.

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
