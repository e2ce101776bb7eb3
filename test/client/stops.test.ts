// How a request waits for its turn, and what ends it: its deadline, a signal, or closing the client.

import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { clientOf } from '../support/asking.ts';
import { type Served, serveAnswer, serveSocket } from '../support/serve.ts';

const report = '{"checks":{},"healthy":true}';
const reply = `HTTP/1.1 200 OK\r\nContent-Length: ${report.length}\r\n\r\n${report}`;

const kept = async (served: Promise<Served>): Promise<Served> => {
  const server = await served;
  onTestFinished(() => server.close());
  return server;
};

/** Calls `talk` with the number of each request, from 0, across all connections. */
const talking = async (talk: (request: number, socket: Socket) => void) => {
  let requests = 0;
  const served = await kept(serveSocket((socket) => socket.on('data', () => talk(requests++, socket))));
  return { ...served, requests: () => requests };
};

/** Deadlines pass only when the test says so. */
const byHand = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
};

/** Each poll of Vitest advances fake timers by its interval. */
const still = { interval: 0 };

const outcomesOf = async (client: Client, count: number) =>
  (await Promise.all(Array.from({ length: count }, () => client.health([])))).map(({ outcome }) => outcome);

test('many concurrent requests share two connections', async () => {
  const served = await kept(serveAnswer(200, report));
  const client = clientOf(served.url);
  expect((await outcomesOf(client, 24)).map(({ kind }) => kind)).toEqual(Array(24).fill('ok'));
  expect(served.connections()).toBe(2);
  client.close();
});

test('maxConnections allows more connections, as for a walk', async () => {
  const waiting: Socket[] = [];
  const served = await talking((_request, socket) => {
    waiting.push(socket);
    // No response before all requests have arrived: each has its own connection.
    if (waiting.length === 4) for (const one of waiting) one.write(reply);
  });
  const client = clientOf(served.url, { maxConnections: 4 });
  expect((await outcomesOf(client, 4)).map(({ kind }) => kind)).toEqual(Array(4).fill('ok'));
  expect(served.connections()).toBe(4);
  client.close();
});

test('requests that wait for a hanging node all end by their original deadline', async () => {
  byHand();
  const served = await talking(() => undefined);
  const timeoutMs = 2500;
  const client = clientOf(served.url, { timeoutMs });
  const ended: string[] = [];
  const ask = async (): Promise<void> => void ended.push((await client.health([])).outcome.kind);
  const first = [ask(), ask()];
  await expect.poll(served.requests, still).toBe(2);
  // The others come later, so they are sent shortly before their deadline.
  vi.advanceTimersByTime(100);
  const others = Array.from({ length: 10 }, ask);
  vi.advanceTimersByTime(timeoutMs - 100);
  await Promise.all(first);
  await expect.poll(served.requests, still).toBe(4);
  expect(ended).toEqual(Array(2).fill('timeout'));
  vi.advanceTimersByTime(100);
  await expect.poll(() => ended, still).toEqual(Array(12).fill('timeout'));
  await Promise.all(others);
  expect(served.requests()).toBe(4);
  client.close();
});

test('a request that waited for responses of a slow node has its full timeout from when it is sent', async () => {
  byHand();
  const timeoutMs = 3000;
  const asked: Socket[] = [];
  const served = await talking((_request, socket) => asked.push(socket));
  const client = clientOf(served.url, { timeoutMs });
  const waiting = Array.from({ length: 12 }, () => client.health([]));
  // The last ones end later than a deadline from their start would allow.
  for (let sent = 2; sent <= 12; sent += 2) {
    await expect.poll(served.requests, still).toBe(sent);
    vi.advanceTimersByTime(0.2 * timeoutMs);
    for (const socket of asked.splice(0)) socket.write(reply);
  }
  const answers = await Promise.all(waiting);
  expect(answers.map(({ outcome }) => outcome.kind)).toEqual(Array(12).fill('ok'));
  // sentAt is the time of sending, not the start of waiting.
  expect(Number(answers.at(-1)?.sentAt) - Number(answers[0]?.sentAt)).toBeCloseTo(3, 6);
  client.close();
});

test('a request that waited has no more than its timeout after it is sent', async () => {
  byHand();
  const served = await talking((request, socket) => {
    if (request < 2) socket.write(reply);
  });
  const client = clientOf(served.url, { timeoutMs: 1500 });
  const outcomes = outcomesOf(client, 6);
  for (const sent of [4, 6]) {
    await expect.poll(served.requests, still).toBe(sent);
    vi.advanceTimersByTime(1500);
  }
  expect((await outcomes).map(({ kind }) => kind)).toEqual([...Array(2).fill('ok'), ...Array(4).fill('timeout')]);
  client.close();
});

test('a single request can have its own timeout', async () => {
  const served = await talking(() => undefined);
  const client = clientOf(served.url, { timeoutMs: 60_000 });
  const other = client.liveness([]);
  const { outcome } = await client.readiness([], undefined, { timeoutMs: 50 });
  expect(outcome).toMatchObject({ kind: 'timeout', afterMs: 50 });
  client.close();
  await other;
});

test('closing the client ends running, waiting and later requests, and sends nothing more', async () => {
  let client: Client | undefined;
  const gone: Promise<void>[] = [];
  const served = await talking((request, socket) => {
    gone.push(new Promise((resolve) => socket.once('close', () => resolve())));
    if (request === 1) client?.close();
  });
  client = clientOf(served.url, { timeoutMs: 60_000 });
  const closed = { kind: 'network', reason: 'the client is closed' };
  expect(await outcomesOf(client, 12)).toMatchObject(Array(12).fill(closed));
  await Promise.all(gone);
  expect(await outcomesOf(client, 1)).toMatchObject([closed]);
  expect([served.requests(), served.connections()]).toEqual([2, 2]);
});

test('an aborted signal ends its request and connection at once, and no other request', async () => {
  const shutdown = new AbortController();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const served = await talking((request, socket) => {
    if (request > 0) {
      socket.write(reply);
      return;
    }
    socket.on('close', end);
    shutdown.abort();
  });
  const client = clientOf(served.url, { timeoutMs: 60_000 });
  const { signal } = shutdown;
  expect((await client.health([], signal)).outcome).toMatchObject({ kind: 'network', reason: 'aborted' });
  expect((await client.health([], signal)).outcome).toMatchObject({ kind: 'network', reason: 'aborted' });
  await ended;
  expect(served.connections()).toBe(1);
  expect((await client.health([])).outcome.kind).toBe('ok');
  client.close();
});

test('many requests with one signal leave no listeners and no warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const served = await kept(serveAnswer(200, report));
  const client = clientOf(served.url);
  const { signal } = new AbortController();
  const answers = await Promise.all(Array.from({ length: 64 }, () => client.health([], signal)));
  expect(answers.every(({ outcome }) => outcome.kind === 'ok')).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  client.close();
});
