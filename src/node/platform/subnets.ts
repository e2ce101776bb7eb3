// A subnet as reported by the P-Chain: permissioned, or an L1, whose own contract manages its validators.

import { primaryNetworkId, sha256 } from '../../protocol/id.ts';
import type { WireSubnet } from '../../protocol/platform-wire.ts';
import type { CheckContext } from '../health/context.ts';
import { idFor, subnetIdOf } from '../scenario.ts';
import { ownerAddress } from './rows.ts';

/** Undefined if no subnet has the id. */
export const subnetOf = ({ scenario, planned }: CheckContext, subnetId: string): WireSubnet | undefined => {
  const subnet = scenario.subnets.find(({ name }) => subnetIdOf(scenario, name) === subnetId);
  if (subnet === undefined) return undefined;
  const isL1 = subnet.l1 !== undefined;
  const chain = planned.find((one) => one.subnetId === subnetId);
  const manager = sha256(`manager/${subnetId}`).toString('hex', 0, 20);
  return {
    isPermissioned: !isL1,
    controlKeys: [ownerAddress(subnetId, scenario.networkId)],
    threshold: '1',
    locktime: '0',
    // The empty id is all zeros, like the Primary Network's.
    subnetTransformationTxID: primaryNetworkId,
    conversionID: isL1 ? idFor('conversion', subnetId) : primaryNetworkId,
    managerChainID: isL1 ? (chain?.id ?? primaryNetworkId) : primaryNetworkId,
    managerAddress: isL1 ? `0x${manager}` : null,
  };
};
