// P-Chain responses as they are parsed: of a real node, and variants that another release might send.

import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type MethodName, methods } from '../../src/protocol/methods.ts';
import { capturesOf } from '../support/replay.ts';

const read = (method: MethodName, wire: unknown) => z.safeParse(methods[method].result, wire);

const asked = z.object({ method: z.string() });
const answered = z.object({ result: z.unknown() });

/** The result of a captured answer. */
const captured = (state: string, name: string): unknown => {
  const capture = capturesOf(state).find((one) => one.name.endsWith(`${name}.json`));
  return answered.parse(JSON.parse(capture?.answer.body ?? '{}')).result;
};

/** Served by the embedded node but never requested. */
const unread = ['getCurrentSupply', 'getFeeState', 'getMinStake', 'getSubnet'].map((name) => `platform.${name}`);

test.each(['genesis-validator', 'two-validators-first'])('every response that was captured in %s is parsed', (state) => {
  const seen: string[] = [];
  for (const { name, request, answer } of capturesOf(state).filter(({ request }) => request.path === '/ext/bc/P')) {
    const { method } = asked.parse(JSON.parse(request.body ?? ''));
    const body = JSON.parse(answer.body);
    if (!('result' in body) || !(method in methods) || unread.includes(method)) continue;
    expect(z.safeParse(methods[method as keyof typeof methods].result, body.result).error, name).toBeUndefined();
    seen.push(method);
  }
  expect(new Set(seen).size).toBe(5);
});

const own = { nodeID: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' };

test('a validator of the Primary Network is parsed with its period, stake and reward in our units', () => {
  const wire = captured('genesis-validator', 'getCurrentValidators-me');
  expect(read('platform.getCurrentValidators', wire).data).toEqual({
    validators: [
      {
        nodeId: own.nodeID,
        startTime: 1_791_000_000,
        endTime: 1_822_536_000,
        weight: 2_000_000_000_000_000n,
        potentialReward: 239_043_697_070_926n,
        uptime: 100,
        delegatorCount: 0,
        delegatorWeight: 0n,
      },
    ],
  });
});

test.each([
  {
    wire: { ...own, startTime: 1_791_000_000, weight: 5, uptime: 99.5 },
    is: { startTime: 1_791_000_000, weight: 5n, uptime: 99.5 },
  },
  {
    wire: { ...own, balance: '18446744073709551615', validationID: 'abc', remainingBalanceOwner: null },
    is: { balance: 18_446_744_073_709_551_615n, validationId: 'abc' },
  },
  { wire: { ...own, balance: 1.5, uptime: '101', endTime: -1, delegators: 7 }, is: {} },
  { wire: own, is: {} },
])('$wire is parsed as far as it is valid', ({ wire, is }) => {
  expect(read('platform.getCurrentValidators', { validators: [wire] }).data).toEqual({
    validators: [{ nodeId: own.nodeID, ...is }],
  });
});

test('a row without a NodeID is left out, and only that row', () => {
  const wire = { validators: [null, 7, {}, { nodeID: 'NodeID-' }, own] };
  expect(read('platform.getCurrentValidators', wire).data).toEqual({ validators: [{ nodeId: own.nodeID }] });
});

test('an L1 validator is parsed with its weight and balance', () => {
  const wire = {
    ...own,
    subnetID: 'sub',
    weight: '20',
    startTime: '5',
    balance: '900',
    minNonce: '0',
    height: 7,
    publicKey: '0x',
  };
  expect(read('platform.getL1Validator', wire).data).toEqual({
    nodeId: own.nodeID,
    weight: 20n,
    startTime: 5,
    balance: 900n,
  });
});

test.each([
  { method: 'platform.getL1Validator', wire: null },
  { method: 'platform.getL1Validator', wire: { balance: '1' } },
  { method: 'platform.getCurrentValidators', wire: { validators: {} } },
  { method: 'platform.getValidatorFeeState', wire: { excess: 0, timestamp: '2026-11-22T01:52:18Z' } },
  { method: 'platform.getHeight', wire: { height: '-1' } },
  { method: 'platform.getTimestamp', wire: { timestamp: 'soon' } },
  { method: 'platform.getBlockchains', wire: {} },
] as const)('$method rejects $wire', ({ method, wire }) => {
  expect(read(method, wire).success).toBe(false);
});

test('fee state, height, time and blockchains are parsed without malformed members', () => {
  expect(read('platform.getValidatorFeeState', { excess: 'x', price: '512' }).data).toMatchObject({ price: 512n });
  const captive = captured('genesis-validator', 'getValidatorFeeState');
  expect(read('platform.getValidatorFeeState', captive).data).toMatchObject({ price: 1n });
  expect(read('platform.getHeight', { height: '3' }).data).toEqual({ height: 3n });
  expect(read('platform.getTimestamp', { timestamp: '1970-01-01T00:01:00Z' }).data).toEqual({ timestamp: 60 });
  const chain = { id: 'i', name: 'C-Chain', subnetID: 's', vmID: 'v' };
  expect(read('platform.getBlockchains', { blockchains: [chain, { id: 'i' }, { ...chain, name: 7, vmID: '' }] }).data).toEqual({
    blockchains: [
      { id: 'i', name: 'C-Chain', subnetId: 's' },
      { id: 'i', subnetId: 's' },
    ],
  });
});
