// The info API of the embedded node: values that depend on the network and on installed VMs.

import { expect, test } from 'vitest';
import { startTestNode } from '../../support/node.ts';
import { askRaw } from '../../support/raw-http.ts';
import { raw, settled } from '../../support/settled-node.ts';

test.each([
  { networkId: 1, asset: '10000000', subnet: '1000000000', transform: '10000000000' },
  { networkId: 5, asset: '10000000', subnet: '100000000', transform: '1000000000' },
])('network $networkId has its own fees', async ({ networkId, asset, subnet, transform }) => {
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

test('lists a VM once, whether chains give its name or its id, and without a version if it is not installed', async () => {
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

test.each([
  ['platform', true],
  ['avm', true],
  ['evm', true],
  ['AVM', undefined],
  ['my-l1', true],
  ['\ud800', undefined],
])('isBootstrapped finds a chain by each of its aliases: %s', async (chain, isBootstrapped) => {
  const node = await settled('subnets: [{ name: mine, chains: [{ alias: my-l1 }] }]');
  const { result, error } = await raw(node, 'info.isBootstrapped', { chain });
  expect(result?.isBootstrapped).toBe(isBootstrapped);
  if (isBootstrapped === undefined)
    expect(error.message).toBe(`there is no chain with alias/ID '${chain.replace('\ud800', '\ufffd')}'`);
});

test('isBootstrapped of a chain that is not created yet is false by its alias, an error by its id', async () => {
  const id = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
  const vm = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy';
  const chains = [{ alias: 'mine', id, vm, vmMissing: true }];
  const node = await startTestNode({ dialect: 'avalanchego' }, JSON.stringify({ subnets: [{ name: 'mine', chains }] }));
  for (const chain of ['P', 'X', 'avm', 'mine'])
    expect((await raw(node, 'info.isBootstrapped', { chain })).result).toEqual({ isBootstrapped: false });
  const { error } = await raw(node, 'info.isBootstrapped', { chain: id });
  expect(error.message).toBe(`there is no chain with alias/ID '${id}'`);
});

test('rejects a NodeID with a JSON escape, because Go parses the raw JSON text', async () => {
  const { port } = await settled('');
  const headers = { 'Content-Type': 'application/json' };
  const asked = async (nodeId: string): Promise<string> => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"info.peers","params":{"nodeIDs":["${nodeId}"]}}`;
    return (await askRaw(port, { method: 'POST', path: '/ext/info', headers, body })).body;
  };
  expect(await asked('NodeID-111111111111111111116DBWJs')).toContain('"result"');
  expect(await asked('NodeID-\\u003111111111111111111116DBWJs')).toContain("couldn't unmarshal an argument");
});

test.each([
  { utcOffset: '+00:00', time: /^2027-01-15T13:30:\d\dZ$/ },
  { utcOffset: '+05:30', time: /^2027-01-15T19:00:\d\d\+05:30$/ },
  { utcOffset: '-08:00', time: /^2027-01-15T05:30:\d\d-08:00$/ },
])('info.peers has the times of messages in the UTC offset of the node, $utcOffset', async ({ utcOffset, time }) => {
  const node = await startTestNode({}, `utcOffset: "${utcOffset}"`, Date.UTC(2027, 0, 15, 13, 30, 30) / 1000);
  const [peer] = (await raw(node, 'info.peers')).result.peers;
  expect([peer.lastSent, peer.lastReceived]).toEqual(Array(2).fill(expect.stringMatching(time)));
});

test('info.peers lists known peers in the order of the request, as often as it names them', async () => {
  const node = await settled('');
  const all = (await raw(node, 'info.peers')).result.peers.map(({ nodeID }: { readonly nodeID: string }) => nodeID);
  const asked = [all[2], all[0], 'NodeID-111111111111111111116DBWJs', all[2]];
  const { numPeers, peers } = (await raw(node, 'info.peers', { nodeIDs: asked })).result;
  expect(peers.map(({ nodeID }: { readonly nodeID: string }) => nodeID)).toEqual([all[2], all[0], all[2]]);
  expect(numPeers).toBe('3');
});
