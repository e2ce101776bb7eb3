// A node as a validator, over real sockets: answers of a real node in both states, failing requests, and wrong answers.

import { describe, expect, test } from 'vitest';
import { maxRows } from '../../../src/protocol/info.ts';
import { listeningLog } from '../../support/events.ts';
import { captured, captureStates, own, type Reply, servingCapture } from './serving.ts';

const day = 86_400;
const primary = '11111111111111111111111111111111LpoYY';
const l1 = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
const withL1 = {
  tagSets: [
    { name: 'all', tags: [] },
    { name: 'l1', tags: [primary, l1, 'my tag'] },
  ],
};

const bootstrapping: Reply = (response) =>
  response.writeHead(503, { 'content-type': 'text/plain' }).end('API call rejected because chain is not done bootstrapping');
const status =
  (code: number): Reply =>
  (response) =>
    response.writeHead(code).end();
const silence: Reply = () => undefined;

const validatorOf = (over: object = {}) => ({
  nodeID: own,
  startTime: String(captured - 50 * day),
  endTime: String(captured + 50 * day),
  weight: '2000000000000',
  ...over,
});
const rows = (...validators: readonly object[]): Reply => ({ result: { validators } });
const uptime = (weighted: number, rewarding: number): Reply => ({
  result: { weightedAveragePercentage: weighted.toFixed(4), rewardingStakePercentage: rewarding.toFixed(4) },
});

/** Answers by subnet: the Primary Network, or the L1. */
const bySubnet =
  (ofL1: readonly object[]): Reply =>
  (response, { subnetID }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { validators: subnetID === l1 ? ofL1 : [validatorOf()] } }));
const l1Row = {
  nodeID: own,
  validationID: 'v1',
  publicKey: '0x00',
  weight: '7',
  balance: '864000',
  minNonce: '0',
  startTime: '1',
};

/** The node's own record after `others` other rows. */
const last = (others: number): Reply => rows(...Array<object>(others).fill({}), validatorOf());

test.each([
  { others: maxRows - 1, state: 'on-track', expected: ['target_validator_expected: 1'], failures: [] },
  { others: maxRows, state: undefined, expected: [], failures: [{ kind: 'too-large', bound: 'rows' }] },
])('with its own record after $others others the reward state is $state, and never not-validator', async (row) => {
  const { others, state, expected, failures } = row;
  const lies = { 'platform.getCurrentValidators': last(others) };
  const { pollAfter, rewardState, series, watching } = await servingCapture('genesis-validator', lies, {
    validator: { enabled: true, expected: true },
  });
  await pollAfter(0);
  expect(await rewardState()).toBe(state);
  expect((await series()).filter((line) => line.startsWith('target_validator_expected'))).toEqual(expected);
  expect(watching.target().lastPoll?.failures).toMatchObject(failures);
});

test('a list that is too long keeps the previous state of the node', async () => {
  const { pollAfter, rewardState, lie } = await servingCapture('genesis-validator');
  await pollAfter(0);
  lie({ 'platform.getCurrentValidators': last(maxRows) });
  await pollAfter(60);
  expect(await rewardState()).toBe('on-track');
});

describe('a real node', () => {
  test('is on track as the only genesis validator', async () => {
    const { pollAfter, series } = await servingCapture('genesis-validator', {}, { validator: { enabled: true, expected: true } });
    await pollAfter(0);
    const [start, end] = [1_791_000_000, 1_822_536_000];
    expect(await series()).toEqual([
      'node_uptime_weighted_ratio: 1',
      'node_uptime_rewarding_stake_ratio: 1',
      'node_uptime_projected_ratio: 1',
      'node_uptime_requirement_ratio: 0.8',
      `node_uptime_budget_seconds: ${(1 - 0.8) * (end - start)}`,
      'node_uptime_best_possible_ratio: 1',
      'validator_reward_state{state=on-track}: 1',
      'validator_reward_state{state=at-risk}: 0',
      'validator_reward_state{state=lost}: 0',
      'validator_reward_state{state=unknown}: 0',
      'validator_reward_state{state=not-validator}: 0',
      'target_validator_expected: 1',
      'validator_stake_navax: 2000000000000000',
      'validator_potential_reward_navax: 239043697070926',
      'validator_delegations: 0',
      'validator_delegated_stake_navax: 0',
      `validator_stake_start_timestamp_seconds{subnet=${primary}}: ${start}`,
      `validator_stake_end_timestamp_seconds{subnet=${primary}}: ${end}`,
    ]);
  });

  test('is at risk when a second validator has only just seen it', async () => {
    const { pollAfter, series, rewardState } = await servingCapture('two-validators-first');
    await pollAfter(0);
    expect(await rewardState()).toBe('at-risk');
    expect(await series()).toContain('node_uptime_projected_ratio: 0.5');
  });

  test.each(captureStates)('in state %s is asked only for its own record, and again after a minute', async (state) => {
    const { pollAfter, asked, params, watching } = await servingCapture(state);
    await pollAfter(0);
    expect(asked()).toEqual(['info.uptime', 'info.upgrades', 'platform.getCurrentValidators']);
    expect(params().flatMap(({ nodeIDs = [] }) => nodeIDs)).toEqual([own]);
    await pollAfter(59);
    expect(asked()).toHaveLength(3);
    await pollAfter(1);
    expect(asked().slice(3)).toEqual(['info.uptime', 'platform.getCurrentValidators']);
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });

  test('whose NodeID header a proxy drops is asked for its NodeID, and known by it within a minute', async () => {
    const { pollAfter, asked, rewardState, lie } = await servingCapture('genesis-validator', {}, { header: false });
    expect(await pollAfter(0)).toMatchObject({ nodeId: own });
    expect(asked()).toContain('info.getNodeID');
    expect(await rewardState()).toBe('on-track');
    const other = 'NodeID-111111111111111111116DBWJs';
    lie({ 'info.getNodeID': { result: { nodeID: other } } });
    expect(await pollAfter(60)).toMatchObject({ nodeId: other, nodeIdChanges: 1 });
    expect(await rewardState()).toBe('not-validator');
  });

  test('is not-validator when it is not in the set, and target_validator_expected is 0', async () => {
    const lies = {
      'info.uptime': { error: "couldn't get node uptime: error while fetching local validator start time not found" },
      'platform.getCurrentValidators': rows(),
    };
    const { pollAfter, series, rewardState, watching } = await servingCapture('genesis-validator', lies, {
      validator: { enabled: true, expected: true },
    });
    await pollAfter(0);
    expect(await rewardState()).toBe('not-validator');
    expect(await series()).toContain('target_validator_expected: 0');
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });
});

describe('a node', () => {
  test.each<readonly [string, Readonly<Record<string, Reply>>]>([
    ['does not serve its info API', { 'info.uptime': status(404), 'info.upgrades': status(404) }],
    ['does not serve its P-Chain', { 'platform.getCurrentValidators': status(404) }],
    ['is behind a proxy that forbids the P-Chain', { 'platform.getCurrentValidators': status(405) }],
    [
      'does not know the methods',
      { 'platform.getCurrentValidators': { error: `rpc: can't find method "platform.GetCurrentValidators"` } },
    ],
  ])('that %s causes no poll failure and has no reward state', async (_how, lies) => {
    const { pollAfter, rewardState, watching } = await servingCapture('genesis-validator', lies);
    await pollAfter(0);
    await pollAfter(60);
    expect(await rewardState()).toBeUndefined();
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });

  test('whose P-Chain bootstraps has reward state unknown and gets no further P-Chain requests', async () => {
    const lies = { 'platform.getCurrentValidators': bootstrapping };
    const { pollAfter, rewardState, asked, watching } = await servingCapture('genesis-validator', lies, withL1);
    await pollAfter(0);
    expect(await rewardState()).toBe('unknown');
    expect(asked().filter((one) => one.startsWith('platform.'))).toEqual(['platform.getCurrentValidators']);
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });

  test('logs when its reward becomes at risk and when it is on track again, and nothing in between', async () => {
    const { log, said } = listeningLog();
    const { pollAfter, lie } = await servingCapture('genesis-validator', {}, { log });
    // Below 80 % connected stake the state is unknown; that does not reset what was logged.
    for (const [weighted, rewarding, connected] of [
      [100, 100, 1],
      [70, 100, 1],
      [50, 50, 0.7],
      [70, 100, 1],
      [50, 50, 0.7],
      [100, 100, 1],
    ] as const) {
      lie({ 'platform.getCurrentValidators': rows(validatorOf()), 'info.uptime': uptime(weighted, rewarding) }, connected);
      await pollAfter(60);
    }
    const rewards = said.filter(({ message }) => message === 'validator reward');
    expect(rewards.map(({ level, fields }) => [level, fields.state])).toEqual([
      ['warn', 'at-risk'],
      ['info', 'on-track'],
    ]);
  });

  test('gets no requests and has no series when the source is disabled', async () => {
    const { pollAfter, asked, series } = await servingCapture(
      'genesis-validator',
      {},
      {
        validator: { enabled: false, expected: true },
      },
    );
    await pollAfter(0);
    expect(asked()).toEqual([]);
    expect(await series()).toEqual([]);
  });

  test('that fails later keeps its state until it is three minutes old', async () => {
    const { pollAfter, lie, series, rewardState } = await servingCapture('genesis-validator');
    await pollAfter(0);
    lie({ 'info.uptime': status(500), 'platform.getCurrentValidators': status(500) });
    await pollAfter(60);
    expect(await rewardState()).toBe('on-track');
    await pollAfter(121);
    expect(await series()).toEqual([]);
  });

  test('that never answers is asked twice, and then not for a minute', async () => {
    const { pollAfter, asked } = await servingCapture('genesis-validator', { 'info.uptime': silence }, { timeoutMs: 3000 });
    const count = (): number => asked().filter((method) => method === 'info.uptime').length;
    for (let polls = 0; polls < 6; polls += 1) await pollAfter(5);
    expect(count()).toBe(2);
    await pollAfter(60);
    expect(count()).toBe(3);
  });

  test('is lost only when the uptimes that all its peers report confirm it', async () => {
    const { pollAfter, lie, asked, rewardState } = await servingCapture('genesis-validator', {
      'platform.getCurrentValidators': rows(
        validatorOf({ startTime: String(captured - 96 * day), endTime: String(captured + 4 * day) }),
      ),
      'info.uptime': uptime(60, 1),
      'info.peers': { result: { peers: [{ observedUptime: '79' }, { observedUptime: '30' }] } },
    });
    await pollAfter(0);
    expect(asked()).toContain('info.peers');
    expect(await rewardState()).toBe('at-risk');
    const record = rows(validatorOf({ startTime: String(captured - 96 * day), endTime: String(captured + 4 * day) }));
    const low = { 'platform.getCurrentValidators': record, 'info.uptime': uptime(60, 1) };
    lie({ ...low, 'info.peers': { result: { peers: [{ observedUptime: '70' }, { observedUptime: '30' }] } } });
    await pollAfter(60);
    expect(await rewardState()).toBe('lost');
    lie({ ...low, 'info.peers': { result: { peers: [{ observedUptime: '70' }, {}] } } });
    await pollAfter(60);
    expect(await rewardState()).toBe('at-risk');
  });

  test('whose check P has not run yet is asked in every poll until it has, and then every minute', async () => {
    const { pollAfter, asked, rewardState, lie } = await servingCapture('genesis-validator', {}, { percentConnected: null });
    await pollAfter(0);
    await pollAfter(5);
    expect([await rewardState(), asked().filter((one) => one === 'info.uptime').length]).toEqual(['unknown', 2]);
    lie({}, 1);
    await pollAfter(5);
    expect([await rewardState(), asked()]).toEqual(['on-track', ['info.uptime', 'platform.getCurrentValidators']]);
    await pollAfter(5);
    await pollAfter(54);
    expect(asked()).toHaveLength(2);
    await pollAfter(1);
    expect(asked()).toHaveLength(4);
  });

  test('that never reports its connected stake is asked five more times, and then every minute', async () => {
    const { pollAfter, asked } = await servingCapture('genesis-validator', {}, { percentConnected: null });
    const count = (): number => asked().filter((one) => one === 'info.uptime').length;
    for (let polls = 0; polls < 10; polls += 1) await pollAfter(5);
    expect(count()).toBe(6);
    await pollAfter(39);
    expect(count()).toBe(6);
    await pollAfter(1);
    expect(count()).toBe(7);
  });

  test.each([
    [0.79, 'unknown'],
    [0.8, 'on-track'],
  ])('with a connected stake of %d has reward state %s', async (percentConnected, state) => {
    const lies = { 'platform.getCurrentValidators': rows(validatorOf()), 'info.uptime': uptime(79, 78) };
    const { pollAfter, rewardState } = await servingCapture('genesis-validator', lies, { percentConnected });
    await pollAfter(0);
    expect(await rewardState()).toBe(state);
  });

  test.each([
    ['began after Helicon has a requirement of 0.9', '2026-01-01T00:00:00Z', {}, 0.9],
    ['began before Helicon has a requirement of 0.8', '2026-11-01T00:00:00Z', {}, 0.8],
    ['has a configured requirement of 0.85 uses it', '2026-01-01T00:00:00Z', { uptimeRequirement: 0.85 }, 0.85],
  ])('whose period %s', async (_when, heliconTime, validator, requirement) => {
    const lies = { 'platform.getCurrentValidators': rows(validatorOf()), 'info.upgrades': { result: { heliconTime } } };
    const over = { validator: { enabled: true, expected: false, ...validator } };
    const { pollAfter, series } = await servingCapture('genesis-validator', lies, over);
    await pollAfter(0);
    expect(await series()).toContain(`node_uptime_requirement_ratio: ${requirement}`);
  });

  test('with another NodeID is assessed by its own upgrades, not by those of the former node', async () => {
    const other = 'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ';
    const upgrades = (heliconTime: string): Reply => ({ result: { heliconTime } });
    const { pollAfter, series, lie, rename } = await servingCapture('genesis-validator', {
      'platform.getCurrentValidators': rows(validatorOf()),
      'info.upgrades': upgrades('2026-11-01T00:00:00Z'),
    });
    await pollAfter(0);
    rename(other);
    lie({
      'platform.getCurrentValidators': rows(validatorOf({ nodeID: other })),
      'info.upgrades': upgrades('2026-01-01T00:00:00Z'),
    });
    await pollAfter(60);
    expect(await series()).toContain('node_uptime_requirement_ratio: 0.9');
  });

  test('with an end time beyond any clock has a status without that time', async () => {
    const lies = { 'platform.getCurrentValidators': rows(validatorOf({ endTime: '18446744073709551615', weight: {} })) };
    const { pollAfter, watching } = await servingCapture('genesis-validator', lies);
    await pollAfter(0);
    const served = await watching.serve();
    const answer = await fetch(`${served.url}/api/v1/status`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('stakeEnd');
  });
});

describe('an L1 validator', () => {
  const lies = {
    'platform.getCurrentValidators': bySubnet([l1Row]),
    'platform.getValidatorFeeState': { result: { excess: '0', price: '2' } },
  };

  test('has a balance and the time at which it runs out', async () => {
    const { pollAfter, series, asked } = await servingCapture('genesis-validator', lies, withL1);
    await pollAfter(0);
    expect(asked().slice(2)).toEqual([
      'platform.getCurrentValidators',
      `platform.getCurrentValidators ${l1}`,
      'platform.getValidatorFeeState',
    ]);
    expect((await series()).filter((one) => one.startsWith('l1_'))).toEqual([
      `l1_validator_active{subnet=${l1}}: 1`,
      `l1_validator_balance_navax{subnet=${l1}}: 864000`,
      `l1_validator_balance_end_timestamp_seconds{subnet=${l1}}: ${captured + 432_000}`,
      `l1_validator_weight{subnet=${l1}}: 7`,
      'l1_validator_fee_navax_per_second: 2',
    ]);
  });

  // A node lists the remaining permissioned validators of a converted subnet before those of the L1.
  test('that is also still a permissioned validator of the converted subnet has its balance', async () => {
    const { validationID: _, balance: __, minNonce: ___, publicKey: ____, ...row } = l1Row;
    const rest = { ...row, txID: 't1', endTime: String(captured + day) };
    const both = { ...lies, 'platform.getCurrentValidators': bySubnet([rest, l1Row]) };
    const { pollAfter, series } = await servingCapture('genesis-validator', both, withL1);
    await pollAfter(0);
    expect(await series()).toContain(`l1_validator_balance_navax{subnet=${l1}}: 864000`);
  });

  test('that is no longer in the set is inactive, and absent once the P-Chain does not find it', async () => {
    const { pollAfter, lie, series, asked } = await servingCapture('genesis-validator', lies, withL1);
    await pollAfter(0);
    const gone = { ...lies, 'platform.getCurrentValidators': bySubnet([]) };
    const { validationID: _, ...row } = l1Row;
    lie({ ...gone, 'platform.getL1Validator': { result: { ...row, balance: '0', subnetID: l1, height: '9' } } });
    await pollAfter(60);
    expect(asked()).toContain('platform.getL1Validator');
    expect(await series()).toContain(`l1_validator_active{subnet=${l1}}: 0`);
    lie({ ...gone, 'platform.getL1Validator': { error: 'fetching L1 validator "v1" failed: not found' } });
    await pollAfter(60);
    expect((await series()).filter((one) => one.startsWith('l1_'))).toEqual([]);
    await pollAfter(60);
    expect(asked().filter((one) => one === 'platform.getL1Validator')).toHaveLength(1);
  });
});
