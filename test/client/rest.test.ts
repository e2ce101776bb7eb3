// How long a node is left alone after a failure, with the clock of the test.

import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import type { Connection } from '../../src/client/connections.ts';
import type { Failure } from '../../src/client/outcome.ts';
import { createRest, createRests } from '../../src/client/rest.ts';

const failure: Failure = { kind: 'tls', reason: 'no' };
const connection = (): Connection => ({ agent: new Agent(), authorization: undefined });
const clock = () => {
  const state = { ms: 1000 };
  return { state, now: () => state.ms };
};

test.each([
  { forMs: 400, restMs: 400 },
  // A hundred times a handshake of 0.4 s.
  { forMs: 40_000, restMs: 30_000 },
  { forMs: undefined, restMs: 30_000 },
])('a rest requested for $forMs ms lasts $restMs ms', ({ forMs, restMs }) => {
  const { state, now } = clock();
  const [rest, one] = [createRest(now), connection()];
  expect(rest.reason(one)).toBeUndefined();
  rest.begin(failure, forMs);
  state.ms += restMs - 1;
  expect(rest.reason(one)).toEqual(failure);
  state.ms += 1;
  expect(rest.reason(one)).toBeUndefined();
});

test('a rest of a connection ends with it', () => {
  const [rest, one] = [createRest(), connection()];
  rest.begin(failure, 10_000, one);
  expect([rest.reason(one), rest.reason(connection())]).toEqual([failure, undefined]);
});

test('a short rest of a connection does not end the long one of the node', () => {
  const { state, now } = clock();
  const [rest, one] = [createRest(now), connection()];
  const other: Failure = { kind: 'tls', reason: 'other' };
  rest.begin(failure);
  rest.begin(other, 300, one);
  const rests = createRests(now);
  rests('a').begin(failure);
  rests('a').begin(other, 300);
  state.ms += 29_999;
  expect([rest.reason(one), rest.reason(connection()), rests('a').reason()]).toEqual(Array(3).fill(failure));
  state.ms += 1;
  rest.begin(other, 300, one);
  rests('a').begin(other, 300);
  expect([rest.reason(one), rest.reason(connection()), rests('a').reason()]).toEqual([other, undefined, other]);
});

test('a rest applies to the node, across clients and connections', () => {
  const { state, now } = clock();
  const rests = createRests(now);
  rests('a').begin(failure, 500, connection());
  expect([rests('a').reason(connection()), rests('b').reason(connection())]).toEqual([failure, undefined]);
  state.ms += 500;
  expect(rests('a').reason(connection())).toBeUndefined();
});

test('the thousand latest rests are remembered', () => {
  const rests = createRests();
  const begin = (nth: number): void => rests(`${nth}`).begin(failure);
  for (let nth = 0; nth < 1000; nth += 1) begin(nth);
  begin(0);
  begin(1000);
  const isResting = (nth: number): boolean => rests(`${nth}`).reason(connection()) !== undefined;
  expect([0, 1, 2, 1000].map(isResting)).toEqual([true, false, true, true]);
});

test('while twenty nodes of an address rest, no other node of it is asked unless it has answered', () => {
  const { state, now } = clock();
  const rests = createRests(now);
  const crowded = (node: string, ...addresses: readonly string[]): string | undefined => rests(node, addresses).crowded();
  rests('good', ['10.0.0.1']).answered();
  for (let nth = 0; nth < 20; nth += 1) {
    expect(crowded('new', '10.0.0.1')).toBeUndefined();
    rests(`${nth}`, ['10.0.0.1']).begin(failure, 500);
  }
  expect(crowded('new', '10.0.0.2', '10.0.0.1')).toBe('10.0.0.1');
  expect([crowded('0', '10.0.0.1'), crowded('good', '10.0.0.1'), crowded('new', '10.0.0.2')]).toEqual(Array(3).fill(undefined));
  rests('good', ['10.0.0.1']).begin(failure, 600);
  // An answer during the rest does not count: the node has to answer after it.
  rests('good', ['10.0.0.1']).answered();
  state.ms += 500;
  expect(crowded('new', '10.0.0.1')).toBeUndefined();
  for (let nth = 0; nth < 20; nth += 1) rests(`${nth}`, ['10.0.0.1']).begin(failure, 500);
  state.ms += 100;
  expect(crowded('good', '10.0.0.1')).toBe('10.0.0.1');
});
