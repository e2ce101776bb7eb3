// `indexes: auto` against a node over real sockets: an index that was once on is watched from then on; one that never was has no series
// and no log lines, and is rarely asked for.

import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { FaultNow } from '../../../src/node/play.ts';
import { indexNames } from '../../../src/protocol/paths.ts';
import { discoverEvery, discoveryAfter } from '../../../src/sources/indexes/discovery.ts';
import { headOf, presenceOf } from '../../../src/sources/indexes/head.ts';
import { containerAt } from '../../support/containers.ts';
import { listeningLog } from '../../support/events.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../../support/node.ts';
import { serveAnswer, serveHttp } from '../../support/serve.ts';
import { valuesOf, watch } from '../../support/watching.ts';

const start = 1_800_000_000;

/** A proxy in front of a node that counts the requests to its index API. */
const counting = async (node: TestNode) => {
  let asked = 0;
  const { url } = await serveHttp(async (request, response) => {
    if (request.url?.startsWith('/ext/index') === true) asked += 1;
    const body = await text(request);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const answer = await fetch(
      `${node.url}${request.url}`,
      request.method === 'POST' ? { method: 'POST', headers, body } : {},
    ).catch(() => undefined);
    if (answer === undefined) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  return { url, asked: () => asked };
};

const watching = async (node: TestNode, wallAt = start) => {
  let now = wallAt;
  const { log, said } = listeningLog();
  const counted = await counting(node);
  const exporter = watch(counted.url, () => now, { indexes: 'auto', healthCheckFrequency: 30 }, {}, { log });
  /** Advances the clocks, runs the checks and polls: the number of requests to the index API in that poll. */
  const poll = async (seconds = 30, faults: readonly FaultNow[] = []): Promise<number> => {
    await node.setFaults(faults);
    now += seconds;
    node.advance(seconds);
    await node.tick();
    const before = counted.asked();
    await exporter.poll();
    return counted.asked() - before;
  };
  const series = async () => (await exporter.page()).filter(({ name }) => name.startsWith('snowgauge_index_'));
  const states = async (state: string) => valuesOf(await exporter.page(), 'snowgauge_index_state', { state });
  return { poll, series, states, said, polls: () => exporter.target().polls };
};

const indexesOff: readonly FaultNow[] = [{ fault: 'api-status', status: 404, path: '/ext/index' }];

describe('a node with default flags', () => {
  test('is asked for every index at the start and every ten minutes, without series or log lines for them', async () => {
    const node = await startTestNode({ dialect: 'avalanchego' });
    await node.ticks(roundsToSettle);
    const { poll, series, said, polls } = await watching(node);
    expect([await poll(), await poll(), await poll()]).toEqual([5, 0, 0]);
    expect([await poll(discoverEvery), await poll(), await poll()]).toEqual([0, 5, 0]);
    expect(await series()).toEqual([]);
    expect(said.filter(({ fields }) => JSON.stringify(fields).includes('block'))).toEqual([]);
    expect(polls().get('index')).toEqual(new Map([['ok', 0]]));
  });

  test.each([
    { server: 'redirects', status: 302, headers: { location: 'https://sso.example/' } },
    { server: 'requires a password', status: 401 },
    { server: 'serves a page for every path', status: 200, headers: { 'content-type': 'text/html' } },
    { server: 'answers 404', status: 404 },
  ])('is not assumed where a server $server: that is not the response of a node', async ({ status, headers = {} }) => {
    const { url } = await serveAnswer(status, '<p>', headers);
    const exporter = watch(url, () => start, { indexes: 'auto' });
    const { polls } = await exporter.poll();
    expect(exporter.conditions().live).toMatchObject({ status: 'Unknown' });
    expect([...polls].map(([api, outcomes]) => [api, outcomes.get('ok') ?? 0])).toEqual([...polls.keys()].map((api) => [api, 0]));
  });

  test('is asked for every index again once it is ready: its chains did not exist before', async () => {
    const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' });
    const { poll, states } = await watching(node);
    await poll();
    const first = (await states('off')).length;
    for (let polls = 0; polls < roundsToSettle + 2; polls += 1) await poll();
    expect([first, (await states('off')).length]).toEqual([1, indexNames.length]);
  });
});

describe('a node with indexes', () => {
  test('has all five indexes watched from the first poll on; the log says when they are off and on again', async () => {
    const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' });
    await node.ticks(roundsToSettle);
    const { poll, states, said } = await watching(node);
    await poll();
    expect(await states('off')).toEqual([0, 0, 0, 0, 0]);
    await poll(30, indexesOff);
    expect(await states('off')).toEqual([1, 1, 1, 1, 1]);
    await poll();
    await poll(30, indexesOff);
    await poll(discoverEvery, indexesOff);
    await poll(30, indexesOff);
    expect(await states('off')).toEqual([1, 1, 1, 1, 1]);
    await poll();
    const lines = said.filter(({ message }) => message.startsWith('index ')).slice(-2);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn index off: is the node started with --index-enabled, and the chain created?',
      'info index state',
    ]);
    expect(lines[0]?.fields.indexes).toEqual(Object.fromEntries(indexNames.map((index) => [index, 'off'])));
  });
});

test('an index whose request failed while the node was ready is asked for again after a minute', async () => {
  const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' });
  await node.ticks(roundsToSettle);
  const { poll, states } = await watching(node);
  const watched: number[] = [];
  for (const path of ['/ext/index/P', '/none', '/none', '/none']) {
    await poll(30, [{ fault: 'api-resets', path }]);
    watched.push((await states('ok')).length);
  }
  expect(watched).toEqual([4, 4, 4, 5]);
});

test.each([
  { when: '599 s after the last one', at: 599, isDue: false },
  { when: '600 s after the last one', at: 600, isDue: true },
  { when: 'after a restart of the node', restarted: true, isDue: true },
  { when: 'when the node became ready', isReady: true, isDue: true },
  { when: 'when the node was ready before', isReady: true, wasReady: true, isDue: false },
])(
  'a request for all indexes is due $when: $isDue',
  ({ at = 1, restarted = false, isReady = false, wasReady = false, isDue }) => {
    const last = { at: start, nodeWasReady: wasReady, dueAfter: discoverEvery };
    const after = discoveryAfter(last, { at: start + at, restarted, isReady, isComplete: true });
    expect(after === undefined).toBe(isDue);
  },
);

test.each([
  { kind: 'http-status', status: 403 },
  { kind: 'not-json', reason: 'a page' },
  { kind: 'rpc-error', code: -32_000, message: 'no such thing' },
] as const)('$kind from an index that was never on means off, not a failure', (outcome) => {
  expect(presenceOf('P/block', outcome)).toEqual({ kind: 'ok', value: { state: 'off' } });
});

test.each([
  { kind: 'ok', value: containerAt(3) },
  { kind: 'rpc-error', code: -32_000, message: 'no containers have been accepted' },
  { kind: 'timeout', afterMs: 5 },
] as const)('$kind from an index that was never on is read as from any index', (outcome) => {
  expect(presenceOf('P/block', outcome)).toEqual(headOf('P/block', outcome, undefined));
});
