// CPU of one poll, compared with a plain got request and JSON.parse of the same 2 KB report, in interleaved rounds.

import { Agent } from 'node:http';
import { got } from 'got';
import { createClient } from '../src/client/client.ts';
import { cpuOf, type Measure, median, serveApart } from './support/measure.ts';

const rounds = 15;
const polls = 200;

const server = `
  import { createServer } from 'node:http';
  const chain = { engine: { consensus: { lastAcceptedHeight: 4711, lastAcceptedID: '2h5wNZcWkHVBLLvCyKNKvAdrV5sB9kQMQY6qPUnCSuYyqQfyTe', longestProcessingBlock: '0s', processingBlocks: 0 }, vm: null }, networking: { percentConnected: 0.9987 } };
  const check = (message) => ({ message, timestamp: '2026-01-02T03:04:05.678901234Z', duration: 146068 });
  const checks = {};
  for (const name of ['C', 'P', 'X', '2pTYkiUwYtMgXZQSZYbQGhcCGjUQCXfFLGrTvcTqAVFyeVqVzV']) checks[name] = check(chain);
  checks.bootstrapped = check([]);
  checks.database = check(undefined);
  checks.diskspace = check({ availableDiskBytes: 123456789012, availableDiskPercentage: 67 });
  checks.network = check({ connectedPeers: 23, sendFailRate: 0, timeSinceLastMsgReceived: '164.593259ms', timeSinceLastMsgSent: '164.593259ms' });
  checks.router = check({ longestRunningRequest: '0s', outstandingRequests: 0 });
  const body = JSON.stringify({ checks, healthy: true }) + '\\n';
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'node-id': 'NodeID-QGZpWLjdZoP7UE1M9XENBuGMEGiWgMsQZ' });
    response.end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

const { url, stop } = await serveApart(server);
const client = createClient(
  { baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 8 * 1024 * 1024, userAgent: 'snowgauge/bench' },
  () => Date.now() / 1000,
);
const agent = { http: new Agent({ keepAlive: true }) };
const bare = got.extend({ agent, responseType: 'buffer', timeout: { request: 60_000 } });
const { signal } = new AbortController();

const poll = async (): Promise<void> => {
  for (let count = 0; count < polls; count += 1) {
    const { outcome } = await client.health([], signal);
    if (outcome.kind !== 'ok' || !outcome.value.healthy) throw new Error(`not answered: ${JSON.stringify(outcome)}`);
  }
};
const bareRequest = async (): Promise<void> => {
  for (let count = 0; count < polls; count += 1) {
    const { body } = await bare(`${url}/ext/health`);
    if (!JSON.parse(body.toString()).healthy) throw new Error('not healthy');
  }
};

await poll();
await bareRequest();
const pairs: { readonly ours: number; readonly theirs: number }[] = [];
for (let round = 0; round < rounds; round += 1) {
  const ours = await cpuOf(poll);
  const theirs = await cpuOf(bareRequest);
  pairs.push({ ours, theirs });
}
client.close();
agent.http.destroy();
stop();

const perPoll = (of: 'ours' | 'theirs'): number => median(pairs.map((pair) => pair[of])) / polls;
console.table([
  { asks: 'snowgauge, client.health', 'CPU a poll, µs': perPoll('ours').toFixed(0) },
  { asks: 'bare got and JSON.parse', 'CPU a poll, µs': perPoll('theirs').toFixed(0) },
]);
const ratio = median(pairs.map(({ ours, theirs }) => ours / theirs));
console.log(
  JSON.stringify([
    { name: 'CPU of a poll, of a bare got request with JSON.parse', ratio, aim: 1.25, atLeast: false },
  ] satisfies readonly Measure[]),
);
