// The largest part of the stake that can still vote for the reward. Each validator votes by the uptime that it observed itself. The node
// reports the mean of those, the stake above the requirement, and for each connected peer a whole percent without its stake. The result
// is an upper bound, and exact if no peer lies between the lowest uptime that can still reach the requirement and the requirement.

import { least } from '../../lists.ts';

/** The network's view of the node, as ratios of all stake of the Primary Network. For its own stake its uptime counts as 1. */
export interface NetworkView {
  /** Mean uptime that the validators observed. Those that are not connected count as 0. */
  readonly weighted: number;
  /** Stake of the connected validators that observed at least the required uptime. */
  readonly rewarding: number;
  /** Connected stake, as check P reports it. */
  readonly connected: number;
}

/** Rounding error of a percentage with four decimals, as a ratio. */
export const answerError = 0.5e-6;

/** A validator reports whole percents, rounded down: the uptime that it observed may be this much higher. */
export const reportedError = 0.01;

interface Limits {
  /** Uptime so far below which a validator can no longer observe the required uptime. */
  readonly lowestHopeful: number;
  readonly requirement: number;
}

/** As a ratio of all stake. `reported`: uptime that each connected peer observed, as a ratio; undefined unless all report it. */
export const mayStillVote = (view: NetworkView, limits: Limits, reported: readonly number[] | undefined): number => {
  const rewarding = Math.min(1, view.rewarding + answerError);
  const below = Math.max(0, view.connected - rewarding);
  return rewarding + Math.min(below, hopefulBelow(view, limits, reported)) + (1 - view.connected);
};

/** The connected stake below the requirement that may still observe the required uptime. Not bounded by that stake. */
const hopefulBelow = (
  view: NetworkView,
  { lowestHopeful, requirement }: Limits,
  reported: readonly number[] | undefined,
): number => {
  const isHopeful = (one: number): boolean => one + reportedError > lowestHopeful;
  const hopeful = reported?.filter((one) => one < requirement && isHopeful(one)) ?? [Math.max(0, lowestHopeful - reportedError)];
  if (hopeful.length === 0) return 0;
  const hopeless = reported?.filter((one) => !isHopeful(one)) ?? [0];
  if (hopeless.length === 0) return Number.POSITIVE_INFINITY;
  // The less of the mean comes from the other stake, the more is left to the hopeful: the others count with the lowest possible uptime.
  const [lowest, lost] = [least(hopeful), least(hopeless)];
  const above = view.rewarding * requirement + Math.max(0, view.connected - view.rewarding) * lost;
  return lowest > lost ? (view.weighted + 2 * answerError - above) / (lowest - lost) : Number.POSITIVE_INFINITY;
};
