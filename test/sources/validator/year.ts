// A year of twenty validators: when each one stakes, when it is unreachable for all or some of the others, and which rewards the vote of
// the stake grants. It shares no calculation with the exporter. Time starts at 0, as in promtool.

import { nodeIdOf } from '../../../src/node/identity.ts';
import { lot } from '../../../src/node/platform/draw.ts';
import {
  isStakingAt,
  type Outage,
  type Staker,
  uptimeRequirementOf,
  weightOf,
} from '../../../src/node/platform/stake-network.ts';
import { drawOutages, type ObservedNetwork, observedNetwork } from '../../support/stake-network.ts';

export const hour = 3600;
export const day = 24 * hour;
export const length = 365 * day;

interface Kind {
  readonly many: number;
  readonly stake: bigint;
  /** Days. */
  readonly between: number;
  readonly length: number;
  /** Only the first `hiddenFrom` validators cannot reach it. */
  readonly hiddenFrom?: number;
}

const kinds: readonly Kind[] = [
  { many: 12, stake: 100n, between: 20, length: 0.1 },
  // Down for a fifth or a seventh of the time: the first is often too much, the second only after Helicon.
  { many: 3, stake: 10n, between: 4, length: 1 },
  { many: 2, stake: 10n, between: 6, length: 1 },
  { many: 2, stake: 10n, between: 50, length: 12 },
  { many: 1, stake: 10n, between: 3, length: 1, hiddenFrom: 7 },
];

/** The validator that only some others cannot reach. */
export const hiddenNth = 19;

export const helicon = 182 * day;
/** All nodes restart within an hour. */
const upgrades = [60 * day, helicon, 300 * day];
/** One validator runs with another staking key for a while, another one on two machines. */
export const replaced = { nth: 3, from: 120 * day, to: 123 * day };
export const double = { nth: 5, from: 200 * day, to: 203 * day };

export interface Year {
  readonly seed: number;
  readonly nodeIds: readonly string[];
  readonly observed: ObservedNetwork;
}

export const drawYear = (seed: number): Year => {
  const members = kinds.flatMap((kind) => Array.from({ length: kind.many }, () => kind));
  const nodeIds = members.map((_, nth) => nodeIdOf(nth + 1));
  const outagesOf = (nodeId: string, kind: Kind): readonly Outage[] => {
    const rate = { between: kind.between * day, length: kind.length * day };
    const drawn = drawOutages(seed, nodeId, 0, 2 * length, rate);
    const { hiddenFrom } = kind;
    return hiddenFrom === undefined ? drawn : drawn.map((one) => ({ ...one, hiddenFrom: new Set(nodeIds.slice(0, hiddenFrom)) }));
  };
  const restarts = nodeIds.flatMap((nodeId) =>
    upgrades.map((at): Outage => {
      const from = at + hour * lot(seed, nodeId, at);
      return { nodeId, from, to: from + 0.5 * hour };
    }),
  );
  const lost = { nodeId: nodeIds[replaced.nth] ?? '', from: replaced.from, to: replaced.to };
  return {
    seed,
    nodeIds,
    observed: observedNetwork({
      helicon,
      stakers: members.flatMap(({ stake }, nth) => periodsOf(seed, nodeIds[nth] ?? '', stake)),
      outages: [...members.flatMap((kind, nth) => outagesOf(nodeIds[nth] ?? '', kind)), ...restarts, lost],
    }),
  };
};

/** Periods of two weeks to a year, six hours apart. */
const periodsOf = (seed: number, nodeId: string, stake: bigint): readonly Staker[] => {
  const periods: Staker[] = [];
  for (let at = Math.floor(lot(seed, nodeId, 'first') * 10 * day); at < length; ) {
    const endTime = at + Math.floor((14 + 351 * lot(seed, nodeId, periods.length) ** 2) * day);
    periods.push({ nodeId, stake, delegated: 0n, startTime: at, endTime });
    at = endTime + 6 * hour;
  }
  return periods;
};

const total = (all: readonly Staker[]): number => all.reduce((sum, one) => sum + weightOf(one), 0);

/** Share of the stake that has seen the requirement met by then. */
export const votesFor = ({ network, observations }: ObservedNetwork, of: Staker, at: number): number => {
  const voters = network.stakers.filter((one) => isStakingAt(one, Math.min(at, of.endTime - 1)));
  const required = uptimeRequirementOf(of, network);
  return total(voters.filter(({ nodeId }) => observations.seen(nodeId, of, at) >= required)) / total(voters);
};

/** The first multiple of `step` seconds after which no uptime could save the reward; undefined if it is paid. */
export const lostAt = ({ observed: { network } }: Year, of: Staker, step: number): number | undefined => {
  const isPaid = (from: number): boolean => {
    const outages = network.outages.flatMap((one) =>
      one.nodeId !== of.nodeId || one.to <= from ? one : one.from < from ? { ...one, to: from } : [],
    );
    return votesFor(observedNetwork({ ...network, outages }), of, of.endTime) >= 0.5;
  };
  if (isPaid(of.endTime)) return undefined;
  let [paid, lost] = [Math.floor(of.startTime / step), Math.ceil(of.endTime / step)];
  while (lost - paid > 1) {
    const middle = Math.floor((paid + lost) / 2);
    if (isPaid(middle * step)) paid = middle;
    else lost = middle;
  }
  return lost * step;
};
