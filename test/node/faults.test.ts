// Each API fault, as a client sees it.

import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { FaultNow } from '../../src/node/play.ts';
import { parseInstant } from '../../src/protocol/time.ts';
import { get, reportOf } from '../contract/health.ts';
import { listenAt } from '../support/listen-at.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { askRaw, headerOf } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const liveness = '/ext/health/liveness';
/** A kept-alive connection may have been cut a moment earlier, so a node that is down gives either error. */
const down = { code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/) };

test.each<{ readonly fault: FaultNow; readonly status: number; readonly body: unknown }>([
  { fault: { fault: 'api-forbids' }, status: 403, body: 'invalid host specified\n' },
  { fault: { fault: 'api-status', status: 502 }, status: 502, body: '' },
  { fault: { fault: 'api-empty' }, status: 200, body: '' },
  { fault: { fault: 'api-garbage' }, status: 200, body: expect.stringContaining('<html>') },
  { fault: { fault: 'api-truncates' }, status: 200, body: '{"checks":{},"' },
  {
    fault: { fault: 'api-huge', bytes: 300_000 },
    status: 200,
    body: expect.stringMatching(/^ +\{"checks":\{\},"healthy":true\}$/),
  },
])('$fault.fault answers $status', async ({ fault, status, body }) => {
  const node = await startTestNode();
  await node.setFaults([fault]);
  const answer = await get(node.port, liveness);
  expect([answer.status, answer.body]).toEqual([status, body]);
  if (fault.fault === 'api-huge') expect(answer.body).toHaveLength(300_000);
  await node.setFaults(undefined);
  expect((await get(node.port, liveness)).body).toBe('{"checks":{},"healthy":true}\n');
});

test('a fault with a path affects only requests under that path', async () => {
  const node = await startTestNode({ indexEnabled: true });
  await node.setFaults([{ fault: 'api-status', status: 500, path: '/ext/index' }]);
  expect((await get(node.port, liveness)).status).toBe(200);
  expect((await get(node.port, '/ext/index/P/block')).status).toBe(500);
});

test('api-refuses closes the port, and opens it again', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-refuses' }]);
  await expect(get(node.port, liveness)).rejects.toMatchObject(down);
  await node.setFaults([]);
  expect((await get(node.port, liveness)).status).toBe(200);
});

test('api-resets cuts the connection', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-resets' }]);
  await expect(get(node.port, liveness)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('api-silent accepts the request and never responds, and the router check counts it as outstanding', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-silent', path: '/ext/health/liveness' }]);
  const socket = connect(node.port, '127.0.0.1');
  socket.on('data', () => expect.unreachable('the node said something'));
  socket.write('GET /ext/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const outstanding = async (): Promise<unknown> => {
    await node.tick();
    return Object(reportOf(await get(node.port, '/ext/health')).checks.router?.message).outstandingRequests;
  };
  await expect.poll(outstanding).toBe(1);
  socket.destroy();
  await expect.poll(outstanding).toBe(0);
});

test('api-slow delays the response', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-slow', delay: 0.3 }]);
  const before = performance.now();
  await get(node.port, liveness);
  expect(performance.now() - before).toBeGreaterThan(250);
});

test('api-slow delays 30 responses at a time without a process warning', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-slow', delay: 0.3 }]);
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const answers = await Promise.all(Array.from({ length: 30 }, () => get(node.port, liveness)));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(warnings).toEqual([]);
});

test('clock-skewed shifts timestamps of checks and the Date header by the same offset', async () => {
  const node = await startTestNode();
  const dateOf = async () => Date.parse(headerOf(await get(node.port, liveness), 'Date') ?? '') / 1000;
  const right = await dateOf();
  await node.setFaults([{ fault: 'clock-skewed', offset: -90 }]);
  await node.tick();
  expect(await dateOf()).toBe(right - 90);
  const { timestamp } = reportOf(await get(node.port, '/ext/health')).checks.network ?? {};
  expect(Date.parse(String(timestamp)) / 1000).toBeCloseTo(right - 90, 0);
});

test('clock-skewed shifts the timestamps of containers accepted meanwhile, not the pace of the network', async () => {
  const node = await startTestNode({ indexEnabled: true }, 'chains: { P: { history: 5, blockInterval: 1s } }');
  await node.ticks(roundsToSettle);
  const last = async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"index.getLastAccepted"}';
    const headers = { 'Content-Type': 'application/json' };
    const answer = await askRaw(node.port, { method: 'POST', path: '/ext/index/P/block', headers, body });
    const { timestamp, index } = Object(JSON.parse(answer.body)).result;
    return { index, at: parseInstant(timestamp) };
  };
  const start = 1_800_000_000;
  expect(await last()).toEqual({ index: '4', at: start });
  await node.setFaults([{ fault: 'clock-skewed', offset: -90 }]);
  node.advance(10);
  await node.tick();
  expect(await last()).toEqual({ index: '14', at: start + 10 - 90 });
  await node.setFaults([{ fault: 'clock-skewed', offset: 3600 }]);
  node.advance(1);
  await node.tick();
  expect(await last()).toEqual({ index: '15', at: start + 11 + 3600 });
  await node.setFaults([]);
  node.advance(1);
  await node.tick();
  expect(await last()).toEqual({ index: '16', at: start + 12 });
});

test('node-restarts takes the node down; afterwards readiness starts at 503 and the chains keep their heights', async () => {
  const node = await startTestNode({}, 'disk: { warningPercentage: 0, requiredPercentage: 0 }');
  await node.ticks(8);
  const height = async () => JSON.stringify(reportOf(await get(node.port, '/ext/health')).checks.P?.message);
  const before = await height();
  expect((await get(node.port, '/ext/health/readiness')).status).toBe(200);
  await node.setFaults([{ fault: 'node-restarts' }]);
  await expect(get(node.port, liveness)).rejects.toMatchObject(down);
  await node.setFaults([]);
  expect((await get(node.port, '/ext/health/readiness')).status).toBe(503);
  await node.ticks(8);
  expect((await get(node.port, '/ext/health/readiness')).status).toBe(200);
  expect(await height()).toBe(before);
});

test('a node that restarts accepts the blocks of its downtime when it is up again', async () => {
  const node = await startTestNode({ indexEnabled: true }, 'chains: { P: { history: 5, blockInterval: 1s } }');
  await node.ticks(roundsToSettle);
  await node.setFaults([{ fault: 'node-restarts' }]);
  node.advance(10);
  await node.tick();
  await node.setFaults([]);
  node.advance(5);
  await node.ticks(roundsToSettle);
  const body = '{"jsonrpc":"2.0","id":1,"method":"index.getContainerRange","params":{"startIndex":4,"numToFetch":20}}';
  const headers = { 'Content-Type': 'application/json' };
  const answer = await askRaw(node.port, { method: 'POST', path: '/ext/index/P/block', headers, body });
  const accepted = Object(JSON.parse(answer.body)).result.map(({ timestamp }: { readonly timestamp: string }) => timestamp);
  expect(accepted).toEqual(['2027-01-15T08:00:00Z', ...Array(15).fill('2027-01-15T08:00:15Z')]);
});

test('a stopping node shows the check shuttingDown during httpShutdownWait, then refuses connections', async () => {
  const node = await startTestNode({ httpShutdownWait: 4 });
  const closed = node.close();
  const answer = await get(node.port, '/ext/health');
  expect(reportOf(answer).checks.shuttingDown).toMatchObject({ error: 'not yet run' });
  await closed;
  await expect(get(node.port, liveness)).rejects.toMatchObject(down);
});

test('a node that is stopped while another process has its port does not take the port again', async () => {
  const node = await startTestNode();
  await node.setFaults([{ fault: 'api-refuses' }]);
  const other = await until('the port is free', () => listenAt('127.0.0.1', node.port), { everyMs: 20 });
  const reopened = node.setFaults([]);
  await node.close();
  await other.close();
  await reopened;
  await expect(get(node.port, liveness)).rejects.toMatchObject(down);
});
