// A node that changes its NodeID: how often it gets rare requests, and what is kept of their responses.

import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { encodeCb58, primaryNetworkId } from '../../src/protocol/id.ts';
import { lastValue } from '../../src/snapshot/observed.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { serveHttp } from '../support/serve.ts';
import { type Watching, watch } from '../support/watching.ts';

test('a node with a new NodeID in each poll is asked for peers at once, then every 20 s, and for health in each poll', async () => {
  let now = 1_800_000_000;
  let polls = 0;
  const askedAt: number[] = [];
  let reports = 0;
  const node = await serveHttp((request, response) => {
    const nodeID = `NodeID-${encodeCb58(Buffer.alloc(20, polls))}`;
    response.setHeader('date', new Date(now * 1000).toUTCString());
    response.setHeader('node-id', nodeID);
    response.setHeader('content-type', 'application/json');
    let asked = '';
    request.on('data', (chunk: Buffer) => (asked += chunk.toString()));
    request.on('end', () => {
      if (request.url?.startsWith('/ext/health')) {
        if (request.url === '/ext/health') reports += 1;
        const timestamp = new Date(Math.floor(now / 30) * 30_000).toISOString();
        response.end(JSON.stringify({ checks: { network: { timestamp, duration: 5000 } }, healthy: true }));
        return;
      }
      const { id, method } = JSON.parse(asked) as { readonly id: unknown; readonly method: string };
      if (method === 'info.peers') askedAt.push(now);
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { nodeID, numPeers: '0', peers: [] } }));
    });
  });
  onTestFinished(() => node.close());
  const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 30 });
  for (; polls < 100; polls += 1) {
    await watching.poll();
    now += 1;
  }
  const [first, ...others] = askedAt.slice(1).map((at, nth) => at - (askedAt[nth] ?? 0));
  // Its NodeID changes for the first time in the second poll.
  expect(first).toBe(1);
  expect(others.length).toBeGreaterThanOrEqual(4);
  expect(Math.min(...others)).toBeGreaterThanOrEqual(19);
  expect(Math.max(...others)).toBeLessThanOrEqual(22);
  expect(reports).toBe(polls);
});

test('a node with a new NodeID is asked for its version and validator record in the same poll', async () => {
  let now = 1_800_000_000;
  const idOf = (nth: number): string => `NodeID-${encodeCb58(Buffer.alloc(20, nth))}`;
  let nth = 1;
  const node = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const nodeID = idOf(nth);
    response.setHeader('node-id', nodeID);
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/ext/health')) return response.end('{"checks":{},"healthy":true}');
    const { id } = JSON.parse(Buffer.concat(chunks).toString());
    const validators = [{ nodeID, weight: '7' }];
    return response.end(
      JSON.stringify({ jsonrpc: '2.0', id, result: { nodeID, version: `avalanchego/1.14.${nth}`, validators } }),
    );
  });
  onTestFinished(() => node.close());
  const watching = watch(node.url, () => now, { indexes: [] });
  const shown = async (): Promise<readonly (string | undefined)[]> => {
    now += 5;
    const { nodeId, sources } = await watching.poll();
    const own = lastValue(sources.validator.memberships.get(primaryNetworkId));
    return [nodeId, lastValue(sources.info.version), own?.state === 'validator' ? own.record.nodeId : undefined];
  };
  expect(await shown()).toEqual([idOf(1), 'avalanchego/1.14.1', idOf(1)]);
  nth = 2;
  expect(await shown()).toEqual([idOf(2), 'avalanchego/1.14.2', idOf(2)]);
  expect(watching.eventHistory.records()).toContainEqual(expect.objectContaining({ kind: 'version-changed' }));
});

/** Families of what the node responds, without its health and counters. */
const ofNode =
  /^snowgauge_(?:readiness|liveness|target_info|index_(?!integrity)|peers|upgrade_scheduled|node_uptime|(?:l1_)?validator)/;

const refuses = (response: ServerResponse) => response.writeHead(403).end();
const resets = (response: ServerResponse) => response.destroy();

test.each([
  { others: 'refuses all other requests', refuse: refuses, after: 5 },
  { others: 'refuses all other requests when all are due', refuse: refuses, after: 600 },
  { others: 'resets all other connections', refuse: resets, after: 5 },
])('a node with a new NodeID that responds for its health, and $others, has no values of the former node', async (row) => {
  const { refuse, after } = row;
  const node = await startTestNode({ indexEnabled: true });
  await node.ticks(roundsToSettle);
  let isOther = false;
  const proxy = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (isOther) response.setHeader('node-id', `NodeID-${encodeCb58(Buffer.alloc(20, 1))}`);
    if (isOther && request.url !== '/ext/health') return refuse(response);
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const { method = 'GET', url = '' } = request;
    const answer = await fetch(node.url + url, { method, headers: { 'content-type': 'application/json' }, ...body });
    response.setHeader('content-type', 'application/json');
    if (!isOther) response.setHeader('node-id', answer.headers.get('node-id') ?? '');
    return response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(() => proxy.close());
  let now = 1_800_000_000;
  const shownBy = async (watching: Watching): Promise<readonly string[]> =>
    (await watching.page())
      .filter(({ name }) => ofNode.test(name))
      .map(({ name, labels, value }) => [name, ...labels.values(), value].join(' '));
  const watching = watch(proxy.url, () => now);
  await watching.poll();
  now += 5;
  await watching.poll();
  const shown = /network-12345.*readiness_healthy.*index_agrees_with_chain.*peers_by_version.*uptime_weighted.*validator_stake/;
  expect((await shownBy(watching)).join()).toMatch(shown);
  isOther = true;
  now += after;
  await watching.poll();
  const another = watch(proxy.url, () => now);
  await another.poll();
  expect(await shownBy(watching)).toEqual(await shownBy(another));
  // A node that never served its info API and its P-Chain is not at fault.
  const [failures, others] = [watching, another].map((one) => one.target().lastPoll?.failures.map(({ kind }) => kind));
  expect(failures).toEqual(others);
});
