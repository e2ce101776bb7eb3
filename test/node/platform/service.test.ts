// The P-Chain API and the peers of the embedded node, over real sockets, compared with the node's scenario.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeIdOf } from '../../../src/node/identity.ts';
import { uptimeRequirementOf } from '../../../src/node/platform/stake-network.ts';
import type { MethodName, NodeMethod, ParamsOf, ResultOf } from '../../../src/protocol/methods.ts';
import type { WirePrimaryValidator } from '../../../src/protocol/platform-wire.ts';
import { clientOf, never } from '../../support/asking.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../../support/node.ts';
import { askRaw } from '../../support/raw-http.ts';
import { at, raw, settled } from '../../support/settled-node.ts';

const day = 86_400;
/** The value, or the error's message. */
const ask = async <M extends NodeMethod>(node: TestNode, method: M, params: ParamsOf<M>): Promise<ResultOf<M> | string> => {
  const client = clientOf(node.url);
  const { outcome } = await client.rpc(method, params, never);
  client.close();
  if (outcome.kind === 'ok') return outcome.value;
  return outcome.kind === 'rpc-error' ? outcome.message : outcome.kind;
};

const value = async <M extends NodeMethod>(node: TestNode, method: M, params: ParamsOf<M>): Promise<ResultOf<M>> => {
  const found = await ask(node, method, params);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

const recordOf = async (node: TestNode, nodeId: string, subnetID?: string) =>
  (await value(node, 'platform.getCurrentValidators', { nodeIDs: [nodeId], ...(subnetID !== undefined && { subnetID }) }))
    .validators[0];

/** The record as it is sent, with the fields that snowgauge does not read. */
const sentRecordOf = async (node: TestNode, nodeId: string) =>
  (await raw(node, 'platform.getCurrentValidators', { nodeIDs: [nodeId] })).result.validators[0];

const uptimeOf = (node: TestNode) => value(node, 'info.uptime', {});

describe('a validator', () => {
  const own = 'validator: { stake: 2000000, delegated: 50, delegators: 3, delegationFee: 0.045, since: 2500h, period: 8760h }';

  test('has the stake, period and delegations of its scenario, and a reward within 1% of a real one', async () => {
    const node = await settled(own);
    expect(await recordOf(node, node.nodeId)).toMatchObject({
      nodeId: node.nodeId,
      weight: 2_000_000_000_000_000n,
      startTime: at - 2500 * 3600,
      endTime: at - 2500 * 3600 + 365 * day,
      delegatorCount: 3,
      delegatorWeight: 50_000_000_000n,
      uptime: 100,
    });
    expect(await sentRecordOf(node, node.nodeId)).toMatchObject({ delegationFee: '4.5000', connected: true });
    const reward = Number((await recordOf(node, node.nodeId))?.potentialReward);
    expect(Math.abs(reward / 239_043_697_070_926 - 1)).toBeLessThan(0.01);
  });

  test('has its delegators listed only if it is the only requested node', async () => {
    const node = await settled(own);
    const [alone, both] = [[node.nodeId], [node.nodeId, nodeIdOf(99)]];
    const { delegators } = (await raw(node, 'platform.getCurrentValidators', { nodeIDs: alone })).result.validators[0];
    expect(delegators.map(({ weight }: { weight: string }) => weight)).toEqual(['16666666668', '16666666666', '16666666666']);
    const { validators } = (await raw(node, 'platform.getCurrentValidators', { nodeIDs: both })).result;
    expect(validators).toMatchObject([{ nodeID: node.nodeId }]);
    expect(validators[0]).not.toHaveProperty('delegators');
    const twice = await raw(node, 'platform.getCurrentValidators', { nodeIDs: [node.nodeId, node.nodeId] });
    expect(twice.result.validators).toMatchObject([{ delegators }]);
  });

  test('is listed in a request without nodeIDs, sorted by end time, until its period ends', async () => {
    const node = await settled('validators: 7\npeers: 7');
    const { validators } = await value(node, 'platform.getCurrentValidators', {});
    const ends = validators.map(({ endTime }) => endTime ?? 0);
    expect(validators.map(({ nodeId }) => nodeId)).toContain(node.nodeId);
    expect([validators.length, ends]).toEqual([8, [...ends].sort((a, b) => a - b)]);
    node.advance(3 * 365 * day);
    const later = (await value(node, 'platform.getCurrentValidators', {})).validators;
    // The others stake again for the same length.
    expect(later.length).toBe(7);
    expect(later.every(({ startTime = 0, endTime = 0 }) => startTime <= at + 3 * 365 * day && at + 3 * 365 * day < endTime)).toBe(
      true,
    );
  });

  test('is the same after a restart of the process', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'snowgauge-staking-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const slow = `${own}\nchains: { P: { blockInterval: 1h }, X: null, C: null }`;
    const first = await settled(slow, { dataDir });
    const before = await recordOf(first, first.nodeId);
    await first.close();
    const second = await startTestNode({ dialect: 'avalanchego', dataDir }, slow, at + 5 * day);
    await second.ticks(roundsToSettle);
    expect(await recordOf(second, second.nodeId)).toEqual(before);
  });

  const notOne = "couldn't get node uptime: error while fetching local validator start time not found";
  test.each([
    { how: 'by its scenario', scenario: 'validator: null', fault: [], after: 600 },
    { how: 'because its period is over', scenario: '', fault: [{ fault: 'staking-ends', in: day } as const], after: day },
    { how: 'because its key was lost', scenario: '', fault: [{ fault: 'key-replaced' } as const], after: 600 },
  ])('is no validator $how: no record, no uptime, no BLS check', async ({ scenario, fault, after }) => {
    const node = await settled(scenario);
    await node.setFaults(fault);
    node.advance(after);
    await node.tick();
    const { nodeID } = await value(node, 'info.getNodeID', {});
    expect(await value(node, 'platform.getCurrentValidators', { nodeIDs: [nodeID] })).toEqual({ validators: [] });
    expect(await ask(node, 'info.uptime', {})).toBe(notOne);
    const report = JSON.parse((await askRaw(node.port, { method: 'GET', path: '/ext/health' })).body);
    expect(report.checks.bls.message).toBe('node is not a validator');
    const ingress = report.checks.network.message['primary network validator health'];
    expect(ingress).toMatchObject({ primaryNetworkValidator: false });
  });

  test('has its record until the last second of its period', async () => {
    const node = await settled();
    await node.setFaults([{ fault: 'staking-ends', in: day }]);
    node.advance(day - 1);
    expect(await recordOf(node, node.nodeId)).toMatchObject({ endTime: at + day });
  });

  test('whose key was replaced by that of another node shares its record; its old record is not connected', async () => {
    const node = await settled('seed: 5');
    await node.setFaults([{ fault: 'key-replaced', seed: 6 }]);
    expect(await recordOf(node, nodeIdOf(6))).toMatchObject({ uptime: 100 });
    expect(await sentRecordOf(node, nodeIdOf(6))).toMatchObject({ connected: true });
    expect(await sentRecordOf(node, node.nodeId)).toMatchObject({ connected: false });
  });
});

describe('the observed uptime', () => {
  /** Recomputes it from the responses of other methods. */
  const recomputed = async (node: TestNode) => {
    const { validators } = (await raw(node, 'platform.getCurrentValidators')).result;
    const said = new Map<string, number>();
    for (const { nodeID, observedUptime } of (await raw(node, 'info.peers')).result.peers)
      said.set(nodeID, Number(observedUptime));
    let [whole, weighted, rewarding] = [0, 0, 0];
    for (const { nodeID, weight, delegatorWeight } of validators) {
      const stake = Number(weight) + Number(delegatorWeight);
      const percent = nodeID === node.nodeId ? 100 : (said.get(nodeID) ?? 0);
      whole += stake;
      weighted += stake * percent;
      if (percent >= 80) rewarding += stake;
    }
    return { rewardingStakePercentage: (100 * rewarding) / whole, weightedAveragePercentage: weighted / whole };
  };
  const agrees = async (node: TestNode): Promise<void> => {
    const [answer, expected] = [await uptimeOf(node), await recomputed(node)];
    expect(answer.rewardingStakePercentage).toBeCloseTo(expected.rewardingStakePercentage, 3);
    expect(answer.weightedAveragePercentage).toBeCloseTo(expected.weightedAveragePercentage, 3);
  };

  test('is the uptime that peers observed, weighted by their stake', async () => {
    const node = await settled('validator: { uptime: 0.9 }');
    await agrees(node);
    const { rewardingStakePercentage, weightedAveragePercentage } = await uptimeOf(node);
    expect(rewardingStakePercentage).toBe(100);
    expect(weightedAveragePercentage).toBeGreaterThan(85);
    expect(weightedAveragePercentage).toBeLessThan(95);
    // The half of the peers that observes less than the requirement is not rewarding.
    await node.setFaults([{ fault: 'uptime-falls', to: 0.5, share: 0.5 }]);
    await agrees(node);
    expect((await uptimeOf(node)).rewardingStakePercentage).toBeLessThan(100);
  });

  test('has four decimals', async () => {
    const node = await settled('validator: { uptime: 0.9 }');
    const { result } = await raw(node, 'info.uptime');
    expect(Object.values(result)).toEqual([expect.stringMatching(/^100\.0000$/), expect.stringMatching(/^\d\d\.\d{4}$/)]);
  });

  test('counts disconnected stake as 0, the same stake that the check P reports as disconnected', async () => {
    const node = await settled('validator: { uptime: 1 }');
    await node.setFaults([{ fault: 'stake-disconnects', chain: 'P', percentConnected: 0.62 }]);
    expect(await uptimeOf(node)).toEqual({ rewardingStakePercentage: 62, weightedAveragePercentage: 62 });
    const { validators } = (await raw(node, 'platform.getCurrentValidators')).result;
    const missing = validators.flatMap(({ connected, nodeID }: WirePrimaryValidator) => (connected ? [] : nodeID));
    await node.tick();
    const report = JSON.parse((await askRaw(node.port, { method: 'GET', path: '/ext/health' })).body);
    expect(report.checks.P.message.networking.disconnectedValidators).toEqual([...missing].sort());
    expect(missing.length).toBe(8);
  });

  test('falls at once, or linearly with `over`, or for a share of the peers', async () => {
    const node = await settled('validator: { uptime: 1 }');
    await node.setFaults([{ fault: 'uptime-falls', to: 0.5 }]);
    const { rewardingStakePercentage: ownShare } = await uptimeOf(node);
    expect((await uptimeOf(node)).weightedAveragePercentage).toBeCloseTo(50 + ownShare / 2, 3);
    await node.setFaults([{ fault: 'uptime-falls', to: 0.5, over: 10 * day }]);
    expect(await uptimeOf(node)).toMatchObject({ weightedAveragePercentage: 100 });
    node.advance(5 * day);
    expect((await raw(node, 'info.peers')).result.peers[0].observedUptime).toBe('75');
    node.advance(50 * day);
    expect((await raw(node, 'info.peers')).result.peers[0].observedUptime).toBe('50');
    await node.setFaults([{ fault: 'uptime-falls', to: 0.5, share: 0.25 }]);
    const { peers } = (await raw(node, 'info.peers')).result;
    const said = peers.slice(0, 20).map(({ observedUptime }: { observedUptime: string }) => observedUptime);
    expect(said).toEqual([...Array(5).fill('50'), ...Array(15).fill('100')]);
  });

  test('is in the validator record of another node; a node reports 100 for itself', async () => {
    const node = await settled('seed: 1\nnodes: [1, 8]\nvalidator: { uptime: 0.95 }');
    expect((await recordOf(node, nodeIdOf(8)))?.uptime).toBeCloseTo(95, 0);
    await node.setFaults([{ fault: 'uptime-falls', to: 0.7, node: 8 }]);
    expect(await recordOf(node, nodeIdOf(8))).toMatchObject({ uptime: 70 });
    expect(await recordOf(node, node.nodeId)).toMatchObject({ uptime: 100 });
    const { validators } = await value(node, 'platform.getCurrentValidators', {});
    expect(validators.filter(({ nodeId }) => nodeId === node.nodeId)).toHaveLength(1);
  });

  test('must be 90 % for a period that began after Helicon', async () => {
    const scenario = (helicon: string): string => `helicon: ${helicon}\nvalidator: { since: 2400h, uptime: 0.85 }`;
    const [before, after] = [await settled(scenario('-2399h')), await settled(scenario('-2400h'))];
    expect((await uptimeOf(before)).rewardingStakePercentage).toBe(100);
    expect((await uptimeOf(after)).rewardingStakePercentage).toBeLessThan(50);
    expect((await value(after, 'info.upgrades', {})).get('helicon')).toBe(at - 2400 * 3600);
    expect(uptimeRequirementOf({ nodeId: '', stake: 0n, delegated: 0n, startTime: 5, endTime: 9 }, { helicon: 5 })).toBe(0.9);
  });
});

describe('a validator of an L1', () => {
  const subnet = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
  const scenario = `
l1Fee: 1000
validator: null
subnets:
  - { name: mine, id: ${subnet}, l1: { validators: 2, weight: 7, balance: 0.001 } }
  - { name: other, id: 2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r, l1: {} }
  - { name: none, id: 29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL }
`;

  test('does not need to validate the Primary Network, and pays the price per second until its balance is 0', async () => {
    const node = await settled(scenario);
    const first = await recordOf(node, node.nodeId, subnet);
    expect(first).toMatchObject({ weight: 7n, balance: 1_000_000n });
    expect(first).not.toHaveProperty('endTime', expect.anything());
    expect(await value(node, 'platform.getValidatorFeeState', {})).toMatchObject({ price: 1000n });
    node.advance(400);
    expect(await recordOf(node, node.nodeId, subnet)).toMatchObject({ balance: 600_000n });
    node.advance(700);
    expect(await recordOf(node, node.nodeId, subnet)).toEqual({ ...first, balance: 0n });
  });

  test('is found by its validationID, with its subnet and the height', async () => {
    const node = await settled(scenario);
    const found = await recordOf(node, node.nodeId, subnet);
    const { height } = await value(node, 'platform.getHeight', {});
    const validationID = found?.validationId ?? '';
    expect(await value(node, 'platform.getL1Validator', { validationID })).toEqual(found);
    const sent = (await raw(node, 'platform.getL1Validator', { validationID })).result;
    expect(sent).toMatchObject({ subnetID: subnet, height: `${height}` });
    expect(await ask(node, 'platform.getL1Validator', { validationID: subnet })).toBe(
      `fetching L1 validator "${subnet}" failed: not found`,
    );
  });

  test('is listed for its subnet; a subnet that is not an L1 has no validators', async () => {
    const node = await settled(scenario);
    const count = async (subnetID: string): Promise<number> =>
      (await value(node, 'platform.getCurrentValidators', { subnetID })).validators.length;
    expect(await count(subnet)).toBe(3);
    expect(await count('29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL')).toBe(0);
  });

  test('has a subnet managed by a contract; a subnet that is not an L1 is managed by control keys', async () => {
    const withChain = scenario.replace('l1: { v', 'chains: [{ alias: dex }], l1: { v');
    const node = await settled(`${withChain}networkId: 5\n`);
    const nothing = '11111111111111111111111111111111LpoYY';
    const owned = {
      controlKeys: [expect.stringMatching(/^P-fuji1/)],
      threshold: '1',
      locktime: '0',
      subnetTransformationTxID: nothing,
    };
    const subnetOf = (subnetID: string) => raw(node, 'platform.getSubnet', { subnetID });
    expect((await subnetOf('29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL')).result).toEqual({
      ...owned,
      ...{ isPermissioned: true, conversionID: nothing, managerChainID: nothing, managerAddress: null },
    });
    const { blockchains } = await value(node, 'platform.getBlockchains', {});
    const own = blockchains.find(({ subnetId }) => subnetId === subnet)?.id ?? nothing;
    const l1 = (await subnetOf(subnet)).result;
    expect(l1).toEqual({
      ...owned,
      ...{ isPermissioned: false, conversionID: expect.any(String), managerChainID: own },
      managerAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
    expect(l1.conversionID).not.toBe(nothing);
    expect((await subnetOf(own)).error.message).toBe(`"${own}" is not a subnet`);
    expect((await raw(node, 'platform.getSubnet')).error.message).toBe("the primary network isn't a subnet");
  });

  test('runs out of balance by the fault balance-runs-out, only in that subnet', async () => {
    const node = await settled(scenario);
    await node.setFaults([{ fault: 'balance-runs-out', in: 3 * day, subnet: 'mine' }]);
    expect(await recordOf(node, node.nodeId, subnet)).toMatchObject({ balance: BigInt(3 * day * 1000) });
    node.advance(3 * day);
    expect(await recordOf(node, node.nodeId, subnet)).toMatchObject({ balance: 0n });
    const other = await recordOf(node, node.nodeId, '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r');
    expect(other).toMatchObject({ balance: 5_000_000_000n - BigInt(3 * day * 1000) });
  });
});

describe('the P-Chain', () => {
  test('returns the height and time of its last block, and the subnet of each chain', async () => {
    const scenario = 'subnets: [{ name: mine, id: DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ, chains: [{ alias: dex }] }]';
    const node = await settled(`chains: { P: { history: 4, blockInterval: 10s } }\n${scenario}`);
    node.advance(25);
    await node.tick();
    expect(await value(node, 'platform.getHeight', {})).toEqual({ height: 6n });
    expect(await value(node, 'platform.getTimestamp', {})).toEqual({ timestamp: at + 20 });
    const { result } = await raw(await settled('utcOffset: "+05:30"'), 'platform.getTimestamp');
    expect(result.timestamp).toMatch(/\+05:30$/);
    const { blockchains } = await value(node, 'platform.getBlockchains', {});
    expect(blockchains.map(({ name, subnetId }) => `${name} ${subnetId}`)).toEqual([
      'dex DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ',
      'C-Chain 11111111111111111111111111111111LpoYY',
      'X-Chain 11111111111111111111111111111111LpoYY',
    ]);
  });

  test('returns supply and minimum stake only for the Primary Network', async () => {
    const subnetID = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
    const least = async (networkId: number) =>
      (await raw(await settled(`networkId: ${networkId}`), 'platform.getMinStake')).result;
    expect([await least(1), await least(5)]).toEqual([
      { minValidatorStake: '2000000000000', minDelegatorStake: '25000000000' },
      { minValidatorStake: '1000000000', minDelegatorStake: '1000000000' },
    ]);
    const node = await settled();
    const { height } = await value(node, 'platform.getHeight', {});
    expect((await raw(node, 'platform.getCurrentSupply')).result).toEqual({ supply: '360000000000000000', height: `${height}` });
    const refusal = async (method: MethodName) => (await raw(node, method, { subnetID })).error.message;
    expect(await refusal('platform.getCurrentSupply')).toBe('fetching current supply failed: not found');
    expect(await refusal('platform.getMinStake')).toBe(`failed fetching subnet transformation for ${subnetID}: not found`);
  });

  test('responds 404 before the chain is created, and 503 until it has bootstrapped', async () => {
    const node = await startTestNode({}, '', at);
    const path = '/ext/bc/P';
    expect((await askRaw(node.port, { method: 'GET', path })).status).toBe(404);
    await node.tick();
    const answer = await askRaw(node.port, { method: 'GET', path });
    expect([answer.status, answer.body]).toEqual([503, 'API call rejected because chain is not done bootstrapping\n']);
    const client = clientOf(node.url);
    const { outcome } = await client.rpc('platform.getHeight', {}, never);
    client.close();
    expect(outcome).toMatchObject({ kind: 'http-status', status: 503, isBootstrapping: true });
    await node.ticks(roundsToSettle);
    const got = await askRaw(node.port, { method: 'GET', path });
    expect([got.status, got.body]).toEqual([405, 'rpc: POST method required, received GET']);
    await node.setFaults([{ fault: 'subnet-bootstraps', subnet: 'primary' }]);
    await node.tick();
    expect((await askRaw(node.port, { method: 'GET', path })).status).toBe(503);
  });

  test.each([
    { params: { nodeIDs: [null] }, is: 'validators' },
    { params: { nodeIDs: ['NodeID-111111111111111111116DBWJs'], subnetID: null }, is: 'validators' },
    { params: { nodeIDs: ['NodeID-111111111111111111116DBWJt'] }, is: 'error' },
    { params: { nodeIDs: ['111111111111111111116DBWJs'] }, is: 'error' },
    { params: { nodeIDs: 'NodeID-111111111111111111116DBWJs' }, is: 'error' },
    { params: { subnetID: 'nope' }, is: 'error' },
  ])('responds to getCurrentValidators with $params with $is', async ({ params, is }) => {
    const { result, error } = await raw(await settled(), 'platform.getCurrentValidators', params);
    if (is === 'validators') expect(result).toEqual({ validators: [] });
    else expect(error.message).toMatch(/^couldn't unmarshal an argument/);
  });
});
