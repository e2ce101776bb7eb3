// `indexes: auto`, against a node over real sockets: an index that was on is watched from then on, and one that never was is no
// series, no line and rarely a request.

import { describe, expect, test } from 'vitest';
import type { FaultNow } from '../../../src/node/play.ts';
import { indexNames } from '../../../src/protocol/paths.ts';
import { discoverEvery, discoveryAfter } from '../../../src/sources/indexes/discovery.ts';
import { headOf, presenceOf } from '../../../src/sources/indexes/head.ts';
import { containerAt } from '../../support/containers.ts';
import { listeningLog } from '../../support/events.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../../support/node.ts';
import { valuesOf, watch } from '../../support/watching.ts';

const start = 1_800_000_000;

const watching = async (node: TestNode, wallAt = start) => {
  let now = wallAt;
  const { log, said } = listeningLog();
  const exporter = watch(node.url, () => now, { indexes: 'auto', healthCheckFrequency: 30 }, {}, { log });
  let asked = 0;
  /** Seconds go by, then a run and a poll: how many answers of indexes that brought, of any outcome. */
  const poll = async (seconds = 30, faults: readonly FaultNow[] = []): Promise<number> => {
    await node.setFaults(faults);
    now += seconds;
    node.advance(seconds);
    await node.tick();
    const { polls } = await exporter.poll();
    const before = asked;
    asked = [...(polls.get('index') ?? new Map<string, number>()).values()].reduce((sum, count) => sum + count, 0);
    return asked - before;
  };
  const series = async () => (await exporter.page()).filter(({ name }) => name.startsWith('snowgauge_index_'));
  const states = async (state: string) => valuesOf(await exporter.page(), 'snowgauge_index_state', { state });
  return { poll, series, states, said, polls: () => exporter.target().polls };
};

const indexesOff: readonly FaultNow[] = [{ fault: 'api-status', status: 404, path: '/ext/index' }];

describe('a node with default flags', () => {
  test('is asked for every index at the start and every ten minutes, and there is no series and no line of them', async () => {
    const node = await startTestNode({ dialect: 'avalanchego' });
    await node.ticks(roundsToSettle);
    const { poll, series, said, polls } = await watching(node);
    expect([await poll(), await poll(), await poll()]).toEqual([5, 0, 0]);
    expect([await poll(discoverEvery), await poll(), await poll()]).toEqual([0, 5, 0]);
    expect(await series()).toEqual([]);
    expect(said.filter(({ fields }) => JSON.stringify(fields).includes('block'))).toEqual([]);
    expect([...(polls().get('index') ?? [])]).toEqual([['ok', 10]]);
  });

  test('is asked again once it is ready: before, its chains are not there', async () => {
    const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' });
    const { poll, states } = await watching(node);
    await poll();
    const first = (await states('off')).length;
    for (let polls = 0; polls < roundsToSettle + 2; polls += 1) await poll();
    expect([first, (await states('off')).length]).toEqual([1, indexNames.length]);
  });
});

describe('a node with indexes', () => {
  test('has all five watched from the first poll on; off later they are said to be off, and on again to be on', async () => {
    const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' });
    await node.ticks(roundsToSettle);
    const { poll, states, said } = await watching(node);
    await poll();
    expect(await states('off')).toEqual([0, 0, 0, 0, 0]);
    await poll(30, indexesOff);
    expect(await states('off')).toEqual([1, 1, 1, 1, 1]);
    await poll();
    await poll(30, indexesOff);
    expect(said.filter(({ message }) => message === 'index state').at(-1)?.fields).toMatchObject({
      indexes: Object.fromEntries(indexNames.map((index) => [index, 'off'])),
    });
    await poll(discoverEvery, indexesOff);
    await poll(30, indexesOff);
    expect(await states('off')).toEqual([1, 1, 1, 1, 1]);
  });
});

test.each([
  { when: 'soon after the last time', at: 599, isDue: false },
  { when: 'ten minutes after the last time', at: 600, isDue: true },
  { when: 'where the node was restarted', restarted: true, isDue: true },
  { when: 'where the node became ready', isReady: true, isDue: true },
  { when: 'where the node was ready before', isReady: true, wasReady: true, isDue: false },
])('all indexes are asked for again $when: $isDue', ({ at = 1, restarted = false, isReady = false, wasReady = false, isDue }) => {
  const after = discoveryAfter({ at: start, nodeWasReady: wasReady }, { at: start + at, restarted, isReady });
  expect(after === undefined).toBe(isDue);
});

test.each([
  { kind: 'http-status', status: 403 },
  { kind: 'not-json', reason: 'a page' },
  { kind: 'rpc-error', code: -32_000, message: 'no such thing' },
] as const)('$kind for an index that was never on is no failure', (outcome) => {
  expect(presenceOf('P/block', outcome)).toEqual({ kind: 'ok', value: { state: 'off' } });
});

test.each([
  { kind: 'ok', value: containerAt(3) },
  { kind: 'rpc-error', code: -32_000, message: 'no containers have been accepted' },
  { kind: 'timeout', afterMs: 5 },
] as const)('$kind is of an index that was never on what it is of any', (outcome) => {
  expect(presenceOf('P/block', outcome)).toEqual(headOf('P/block', outcome, undefined));
});
