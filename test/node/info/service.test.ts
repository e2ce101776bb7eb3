// What the embedded node says of itself: what differs from network to network, and by what is installed.

import { expect, test } from 'vitest';
import { raw, settled } from '../../support/settled-node.ts';

test.each([
  { networkId: 1, asset: '10000000', subnet: '1000000000', transform: '10000000000' },
  { networkId: 5, asset: '10000000', subnet: '100000000', transform: '1000000000' },
])('network $networkId has fees of its own', async ({ networkId, asset, subnet, transform }) => {
  const { result } = await raw(await settled(`networkId: ${networkId}`), 'info.getTxFee');
  expect(result).toEqual({
    txFee: '1000000',
    createAssetTxFee: asset,
    createSubnetTxFee: subnet,
    transformSubnetTxFee: transform,
    createBlockchainTxFee: subnet,
    addPrimaryNetworkValidatorFee: '0',
    addPrimaryNetworkDelegatorFee: '0',
    addSubnetValidatorFee: '1000000',
    addSubnetDelegatorFee: '1000000',
  });
});

test('a VM is listed once, whether chains name it or give its id, and has no version where it is not installed', async () => {
  const id = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy';
  const missing = 'v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH';
  const chains = [
    { alias: 'one', vm: 'subnetevm' },
    { alias: 'two', vm: id },
    { alias: 'three', vm: 'evm' },
    { alias: 'four', vm: missing, vmMissing: true },
  ];
  const node = await settled(JSON.stringify({ subnets: [{ name: 'mine', chains }] }));
  const own = ['jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq', 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6'];
  const { vms } = (await raw(node, 'info.getVMs')).result;
  expect(Object.keys(vms)).toEqual([...own, 'rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT', id]);
  expect(vms[id]).toEqual([]);
  const { vmVersions } = (await raw(node, 'info.getNodeVersion')).result;
  expect(Object.keys(vmVersions)).toEqual(['avm', 'evm', 'platform', id]);
});
