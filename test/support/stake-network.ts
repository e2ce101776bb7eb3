// A network of validators with known stakes and outages: who was up and connected, and the outcome of the reward vote.

import { lot } from '../../src/node/platform/draw.ts';
import { type Interval, merged } from '../../src/node/platform/outages.ts';
import {
  isStakingAt,
  type Outage,
  observationsOf,
  type Staker,
  uptimeRequirementOf,
  weightOf,
} from '../../src/node/platform/stake-network.ts';
import { networkView, type Vote, wholePercent } from '../../src/node/platform/votes.ts';

export interface StakeNetwork {
  readonly stakers: readonly Staker[];
  readonly outages: readonly Outage[];
  /** When the upgrade that raises the requirement activates. */
  readonly helicon?: number | undefined;
}

const covers = (intervals: readonly Interval[], at: number): boolean => intervals.some(({ from, to }) => from <= at && at < to);

/** The nodes' observations of each other, and the actual values. */
export const networkObservationsOf = ({ outages }: Pick<StakeNetwork, 'outages'>) => {
  const kept = new Map<string, readonly Interval[]>();
  const once = (key: string, isOf: (outage: Outage) => boolean): readonly Interval[] => {
    const found = kept.get(key) ?? merged(outages.filter(isOf));
    kept.set(key, found);
    return found;
  };
  const isAway = ({ nodeId, hiddenFrom }: Outage, one: string, other: string): boolean =>
    nodeId === one && (hiddenFrom === undefined || hiddenFrom.has(other));
  return {
    ...observationsOf(outages),
    isUp: (nodeId: string, at: number): boolean =>
      !covers(
        once(nodeId, (outage) => outage.nodeId === nodeId && outage.hiddenFrom === undefined),
        at,
      ),
    isConnected: (one: string, other: string, at: number): boolean =>
      !covers(
        once(`${one} ${other}`, (outage) => isAway(outage, one, other) || isAway(outage, other, one)),
        at,
      ),
  };
};

/** A network with its observations. */
export interface ObservedNetwork {
  readonly network: StakeNetwork;
  readonly observations: ReturnType<typeof networkObservationsOf>;
  readonly weights: ReadonlyMap<Staker, number>;
}

export const observedNetwork = (network: StakeNetwork): ObservedNetwork => ({
  network,
  observations: networkObservationsOf(network),
  weights: new Map(network.stakers.map((one) => [one, weightOf(one)])),
});

const stakingAt = ({ network }: ObservedNetwork, at: number): readonly Staker[] =>
  network.stakers.filter((one) => isStakingAt(one, at));

const sumOf = ({ weights }: ObservedNetwork, stakers: readonly Staker[]): number =>
  stakers.reduce((sum, one) => sum + (weights.get(one) ?? 0), 0);

/** Everything that the node with this NodeID would report about itself; undefined if it is not a validator at that time. */
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
    /** `info.uptime` in percent. */
    view: networkView(sumOf(given, [own]), whole, votes, uptimeRequirementOf(own, network)),
    /** `networking.percentConnected` of check P, a ratio. */
    connectedStake: sumOf(given, [own, ...connected]) / whole,
    /** `observedUptime` of `info.peers` by NodeID. */
    peers: new Map(connected.map((one, nth) => [one.nodeId, votes[nth]?.percent ?? 0])),
  };
};

/** `uptime` that another validator records for a node: percent of its current period. */
export const recordedUptime = ({ observations }: ObservedNetwork, asked: string, of: Staker, at: number): number =>
  100 * observations.seen(asked, of, at);

/**
 * The vote at the end of a period: each available validator votes by its observation, to the second, weighted by stake. A
 * validator always votes for itself.
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

export interface OutageRate {
  /** Mean seconds between outages and of an outage, exponentially distributed. */
  readonly between: number;
  readonly length: number;
}

/** The outages of a node from `from` to `to`. */
export const drawOutages = (seed: number, nodeId: string, from: number, to: number, rate: OutageRate): readonly Outage[] => {
  const span = (mean: number, ...names: readonly (string | number)[]): number =>
    -mean * Math.log(1 - lot(seed, nodeId, ...names));
  const outages: Outage[] = [];
  for (let at = from + span(rate.between, 'first'); at < to; ) {
    const end = at + span(rate.length, 'length', outages.length);
    outages.push({ nodeId, from: at, to: Math.min(end, to) });
    at = end + span(rate.between, 'between', outages.length);
  }
  return outages;
};
