// Fixed transaction fees from before fees followed demand: a deprecated result that differs by network.

import type { WireTxFees } from '../../protocol/info.ts';

/** A thousandth of an AVAX, in nAVAX. */
const milliAvax = 1e6;

interface Creation {
  readonly asset: number;
  readonly subnet: number;
  readonly transform: number;
  readonly blockchain: number;
}

/** In thousandths of an AVAX, by network id. */
const creations: ReadonlyMap<number, Creation> = new Map([
  [1, { asset: 10, subnet: 1000, transform: 10_000, blockchain: 1000 }],
  [5, { asset: 10, subnet: 100, transform: 1000, blockchain: 100 }],
]);
const elsewhere: Creation = { asset: 1, subnet: 100, transform: 100, blockchain: 100 };

export const txFeesOf = (networkId: number): WireTxFees => {
  const { asset, subnet, transform, blockchain } = creations.get(networkId) ?? elsewhere;
  const fee = (thousandths: number): string => `${thousandths * milliAvax}`;
  return {
    txFee: fee(1),
    createAssetTxFee: fee(asset),
    createSubnetTxFee: fee(subnet),
    transformSubnetTxFee: fee(transform),
    createBlockchainTxFee: fee(blockchain),
    addPrimaryNetworkValidatorFee: fee(0),
    addPrimaryNetworkDelegatorFee: fee(0),
    addSubnetValidatorFee: fee(1),
    addSubnetDelegatorFee: fee(1),
  };
};
