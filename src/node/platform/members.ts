// The validators of the simulated Primary Network: this node, other embedded nodes, and those generated from the seed.

import { nodeIdOf, validatorIds } from '../identity.ts';
import type { Scenario } from '../scenario.ts';
import { validatorSchema } from '../scenario-grammar.ts';
import { lot } from './draw.ts';
import type { Outage, Staker } from './stake-network.ts';

export interface NetworkMember extends Staker {
  readonly delegators: number;
  /** As a ratio. */
  readonly delegationFee: number;
}

export interface Members {
  /** Undefined if the node is not a validator. */
  readonly own: NetworkMember | undefined;
  readonly others: readonly NetworkMember[];
  /** Outages before the epoch. */
  readonly outages: readonly Outage[];
}

const day = 86_400;
const nanoAvax = 1_000_000_000n;

/** `epoch`: first start of the node. */
export const membersOf = (scenario: Scenario, seed: number, epoch: number): Members => {
  const settings = scenario.validator ?? validatorSchema.parse({});
  const { since, period, uptime, ...stakes } = settings;
  const startTime = Math.floor(epoch - since);
  const embedded = (nodeId: string): NetworkMember => ({ nodeId, ...stakes, startTime, endTime: startTime + Math.floor(period) });
  const nodes = scenario.nodes.map((other) => embedded(nodeIdOf(other)));
  const strangers = validatorIds(seed, scenario.validators).map((nodeId) => drawn(seed, nodeId, epoch));
  const own = scenario.validator === null ? undefined : embedded(nodeIdOf(seed));
  const others = [...nodes, ...strangers];
  const observers = [nodeIdOf(seed), ...others.map(({ nodeId }) => nodeId)];
  return {
    own,
    others,
    outages: [...nodes, ...(own === undefined ? [] : [own])]
      .flatMap((one) => pastOutages(one, 1 - uptime, epoch, observers))
      .concat(strangers.flatMap((one) => pastOutages(one, lot(seed, one.nodeId, 'down') ** 2 / 50, epoch, []))),
  };
};

/** Stake in AVAX; the maximum with delegations. */
const [minStake, maxStake] = [2_000, 3_000_000];

/** Periods of two weeks to a year, some of them almost over. */
const drawn = (seed: number, nodeId: string, epoch: number): NetworkMember => {
  const of = (what: string): number => lot(seed, nodeId, what);
  // Small stakes are more frequent.
  const stake = Math.round(minStake * (maxStake / minStake) ** of('stake'));
  const delegated = Math.floor(Math.min(3 * stake * of('delegated'), maxStake - stake));
  const delegators = Math.floor(40 * of('delegators') ** 3);
  const period = Math.floor((14 + 351 * of('period')) * day);
  const startTime = Math.floor(epoch - period * of('elapsed'));
  return {
    nodeId,
    stake: BigInt(stake) * nanoAvax,
    delegated: delegators === 0 ? 0n : BigInt(delegated) * nanoAvax,
    delegators,
    delegationFee: (2 + Math.floor(18 * of('fee'))) / 100,
    startTime,
    endTime: startTime + period,
  };
};

/** The member in its period at any time: each period is followed by the next. */
export const currentPeriod = (member: NetworkMember, at: number): NetworkMember => {
  const length = member.endTime - member.startTime;
  const passed = length > 0 && at >= member.endTime ? Math.floor((at - member.startTime) / length) * length : 0;
  return passed === 0 ? member : { ...member, startTime: member.startTime + passed, endTime: member.endTime + passed };
};

/**
 * Three quarters of its downtime are visible to all; then each of `observers` has no connection to it for some time more, at most
 * half of the downtime.
 */
const pastOutages = (
  { nodeId, startTime }: NetworkMember,
  share: number,
  epoch: number,
  observers: readonly string[],
): readonly Outage[] => {
  const elapsed = Math.max(0, epoch - startTime);
  const seconds = share * elapsed;
  const from = startTime + lot(nodeId, 'outage') * Math.max(0, elapsed - 1.25 * seconds);
  const up = from + 0.75 * seconds;
  const links = observers.map((observer) => {
    const to = Math.min(epoch, up + (lot(nodeId, observer, 'link') * seconds) / 2);
    return { nodeId, from: up, to, hiddenFrom: new Set([observer]) };
  });
  return seconds === 0 ? [] : [{ nodeId, from, to: up }, ...links];
};
