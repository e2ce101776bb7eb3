// Fixed transaction fees from before fees followed demand: a deprecated result that differs by network.

import type { WireTxFees } from '../../protocol/info.ts';

/** A thousandth of an AVAX, in nAVAX. */
const milliAvax = 1e6;

/** In thousandths of an AVAX, by network id. `subnet`: also of a blockchain. */
const creations = new Map([
  [1, { asset: 10, subnet: 1000, transform: 10_000 }],
  [5, { asset: 10, subnet: 100, transform: 1000 }],
]);
const elsewhere = { asset: 1, subnet: 100, transform: 100 };

export const txFeesOf = (networkId: number): WireTxFees => {
  const { asset, subnet, transform } = creations.get(networkId) ?? elsewhere;
  const fee = (thousandths: number): string => `${thousandths * milliAvax}`;
  return {
    txFee: fee(1),
    createAssetTxFee: fee(asset),
    createSubnetTxFee: fee(subnet),
    transformSubnetTxFee: fee(transform),
    createBlockchainTxFee: fee(subnet),
    addPrimaryNetworkValidatorFee: fee(0),
    addPrimaryNetworkDelegatorFee: fee(0),
    addSubnetValidatorFee: fee(1),
    addSubnetDelegatorFee: fee(1),
  };
};
