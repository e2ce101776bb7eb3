// How often a node that keeps changing its NodeID gets rare requests.

import { expect, onTestFinished, test } from 'vitest';
import { encodeCb58 } from '../../src/protocol/id.ts';
import { serveHttp } from '../support/serve.ts';
import { watch } from '../support/watching.ts';

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
  expect(first).toBe(2);
  expect(others.length).toBeGreaterThanOrEqual(4);
  expect(Math.min(...others)).toBeGreaterThanOrEqual(19);
  expect(Math.max(...others)).toBeLessThanOrEqual(22);
  expect(reports).toBe(polls);
});
