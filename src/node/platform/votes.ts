// Combines the validators' observations into the network's view of a node.

/** A connected validator's observation of the node. */
export interface Vote {
  readonly weight: number;
  /** Whole percent: peers report no fractions. */
  readonly percent: number;
}

/** Truncated, not rounded, as in the node. */
export const wholePercent = (share: number): number => Math.floor(share * 100);

/** In percent. Own stake counts as 100; unconnected stake counts as 0. */
export const networkView = (own: number, whole: number, votes: readonly Vote[], requirement: number) => {
  let rewarding = own;
  let weighted = 100 * own;
  for (const { weight, percent } of votes) {
    weighted += percent * weight;
    if (percent / 100 >= requirement) rewarding += weight;
  }
  return { rewardingStakePercentage: (100 * rewarding) / whole, weightedAveragePercentage: weighted / whole };
};
