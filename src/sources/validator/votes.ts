// Which part of the stake can still vote for the reward, at the most. Each validator votes by what it saw itself, and the node knows
// of that a mean, a sum, and of each connected peer a whole percent without its stake. So this is an upper bound, and it is the
// number itself where no peer is between the requirement and what can still reach it.

/** What the network says of the node, as ratios of the whole stake of the Primary Network. Its own stake counts as 1. */
export interface NetworkView {
  /** Mean of what the connected validators say: those that are not connected count as 0. */
  readonly weighted: number;
  /** Whose validators saw it at or above the requirement; those that are not connected do not count. */
  readonly rewarding: number;
  /** Of the check of chain P. */
  readonly connected: number;
}

/** A percentage of four decimals, as a ratio, may be this much above or below what it stands for. */
export const answerError = 0.5e-6;

/** A validator says whole percent, and leaves out the rest: what it saw may be this much higher. */
export const reportedError = 0.01;

interface Limits {
  /** Of the uptime so far, below which nobody can see the requirement kept any more. */
  readonly lowestHopeful: number;
  readonly requirement: number;
}

/** `reported`: what each connected peer says, as a ratio; absent where it is not known of all of them. Of the whole stake. */
export const mayStillVote = (view: NetworkView, limits: Limits, reported: readonly number[] | undefined): number => {
  const rewarding = Math.min(1, view.rewarding + answerError);
  const below = Math.max(0, view.connected - rewarding);
  return rewarding + Math.min(below, hopefulBelow(view, limits, reported)) + (1 - view.connected);
};

/** Of the connected stake that saw less than the requirement, the part that may still see it kept. */
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
  // An upper bound: the less of the mean those above and those without hope account for, the more is left to the hopeful.
  const [least, lost] = [lowest(hopeful), lowest(hopeless)];
  const above = view.rewarding * requirement + Math.max(0, view.connected - view.rewarding) * lost;
  return least > lost ? (view.weighted + 2 * answerError - above) / (least - lost) : Number.POSITIVE_INFINITY;
};

const lowest = (all: readonly number[]): number => all.reduce((least, one) => Math.min(least, one), 1);
