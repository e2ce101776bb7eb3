// Validators in the format of the P-Chain's API.

import { bech32 } from '@scure/base';
import { sha256 } from '../../protocol/id.ts';
import type { WireL1Validator, WireOwner, WirePrimaryValidator } from '../../protocol/platform-wire.ts';
import { proofOf } from '../identity.ts';
import { idFor } from '../scenario.ts';
import type { L1Validator } from './l1.ts';
import type { NetworkMember } from './members.ts';
import type { Staker } from './stake-network.ts';

export const percentText = (percent: number): string => percent.toFixed(4);

/** Prefixes of addresses, by network id. */
const prefixes: ReadonlyMap<number, string> = new Map([
  [1, 'avax'],
  [5, 'fuji'],
  [12_345, 'local'],
]);

/** Address of the owner of a node, a delegation or a subnet. */
export const ownerAddress = (owned: string, networkId: number): string =>
  `P-${bech32.encode(prefixes.get(networkId) ?? 'custom', bech32.toWords(sha256(`owner/${owned}`).subarray(0, 20)))}`;

const ownerOf = (nodeId: string, networkId: number): WireOwner => ({
  locktime: '0',
  threshold: '1',
  addresses: [ownerAddress(nodeId, networkId)],
});

const year = 365 * 86_400;
/** In nAVAX: current and maximum supply. */
export const supply = 360_000_000e9;
const maxSupply = 720_000_000e9;

/** nAVAX, by the real network's formula: 10 % of the remaining supply per year for a short period, 12 % for a year. */
export const potentialReward = (weight: bigint, { startTime, endTime }: Pick<Staker, 'startTime' | 'endTime'>): bigint => {
  const length = (endTime - startTime) / year;
  return BigInt(Math.floor((maxSupply - supply) * (Number(weight) / supply) * (0.1 + 0.02 * length) * length));
};

interface RowContext {
  readonly networkId: number;
  /** As a ratio. */
  readonly uptime: number;
  readonly connected: boolean;
  /** Only if a single validator is requested. */
  readonly withDelegators: boolean;
}

export const primaryRow = (
  member: NetworkMember,
  { networkId, uptime, connected, withDelegators }: RowContext,
): WirePrimaryValidator => {
  const { nodeId, startTime, endTime, stake, delegated } = member;
  const owner = ownerOf(nodeId, networkId);
  // Delegators cannot have delegated nothing.
  const delegators = delegated === 0n ? 0 : member.delegators;
  return {
    txID: idFor('staker', nodeId, startTime),
    startTime: `${startTime}`,
    endTime: `${endTime}`,
    weight: `${stake}`,
    nodeID: nodeId,
    validationRewardOwner: owner,
    delegationRewardOwner: owner,
    potentialReward: `${potentialReward(stake, member)}`,
    accruedDelegateeReward: '0',
    delegationFee: percentText(100 * member.delegationFee),
    uptime: percentText(100 * uptime),
    connected,
    signer: proofOf(nodeId),
    delegatorCount: `${delegators}`,
    delegatorWeight: `${delegators === 0 ? 0n : delegated}`,
    ...(withDelegators && {
      delegators: Array.from({ length: delegators }, (_, at) => {
        const equal = delegated / BigInt(delegators);
        const weight = at === 0 ? delegated - equal * BigInt(delegators - 1) : equal;
        return {
          txID: idFor('delegator', nodeId, startTime, at),
          startTime: `${startTime}`,
          endTime: `${endTime}`,
          weight: `${weight}`,
          nodeID: nodeId,
          rewardOwner: ownerOf(`${nodeId}/${at}`, networkId),
          potentialReward: `${potentialReward(weight, member)}`,
        };
      }),
    }),
  };
};

/** No real row was captured: built from the known members. */
export const l1Row = (one: L1Validator, networkId: number, balance: bigint): WireL1Validator => {
  const owner = ownerOf(one.nodeId, networkId);
  return {
    nodeID: one.nodeId,
    weight: `${one.weight}`,
    startTime: `${one.startTime}`,
    validationID: one.validationId,
    publicKey: proofOf(one.nodeId).publicKey,
    remainingBalanceOwner: owner,
    deactivationOwner: owner,
    minNonce: '0',
    balance: `${balance}`,
  };
};
