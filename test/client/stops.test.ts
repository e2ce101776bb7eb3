// How a question waits for its turn, and all the ways in which it is stopped: its deadline, a signal, the end of the client.

import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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

/** Answers each request by its number, from 0, over all connections. */
const talking = async (talk: (request: number, socket: Socket) => void) => {
  let requests = 0;
  const served = await kept(serveSocket((socket) => socket.on('data', () => talk(requests++, socket))));
  return { ...served, requests: () => requests };
};

const outcomesOf = async (client: Client, count: number) =>
  (await Promise.all(Array.from({ length: count }, () => client.health([])))).map(({ outcome }) => outcome);

test('many questions at once are answered over two connections', async () => {
  const served = await kept(serveAnswer(200, report));
  const client = clientOf(served.url);
  expect((await outcomesOf(client, 24)).map(({ kind }) => kind)).toEqual(Array(24).fill('ok'));
  expect(served.connections()).toBe(2);
  client.close();
});

test('a walk may have more connections', async () => {
  const waiting: Socket[] = [];
  const served = await talking((_request, socket) => {
    waiting.push(socket);
    // None is answered before all have come: each has a connection of its own.
    if (waiting.length === 4) for (const one of waiting) one.write(reply);
  });
  const client = clientOf(served.url, { maxConnections: 4 });
  expect((await outcomesOf(client, 4)).map(({ kind }) => kind)).toEqual(Array(4).fill('ok'));
  expect(served.connections()).toBe(4);
  client.close();
});

test('nobody who waits for a node that hangs has more time once it is sent: all end by the deadline that they came with', async () => {
  const served = await talking(() => undefined);
  const timeoutMs = 2500;
  const client = clientOf(served.url, { timeoutMs });
  const ended: string[] = [];
  const ask = async (which: string, limits = {}): Promise<void> => {
    const { outcome } = await client.health([], undefined, limits);
    ended.push(`${which} ${outcome.kind}`);
  };
  const first = [ask('in time'), ask('in time')];
  // The others come a moment later, so that they are sent a moment before their time is up.
  await client.health([], undefined, { timeoutMs: 100 });
  const others = Array.from({ length: 10 }, () => ask('in time'));
  await Promise.race(first);
  await Promise.all([...first, ...others, ask('later', { timeoutMs: timeoutMs / 2 })]);
  expect(ended).toEqual([...Array(12).fill('in time timeout'), 'later timeout']);
  // Two at a time, and on a busy machine some more in that moment.
  expect(served.requests()).toBeLessThan(12);
  client.close();
});

test('a question that waited for the answers of a slow node has its whole time from when it is sent', async () => {
  const timeoutMs = 3000;
  const served = await talking((_request, socket) => setTimeout(() => socket.write(reply), 0.2 * timeoutMs));
  const client = clientOf(served.url, { timeoutMs });
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 12 }, () => client.health([])));
  expect(answers.map(({ outcome }) => outcome.kind)).toEqual(Array(12).fill('ok'));
  // It says when it was sent, not since when it waited.
  expect(Number(answers.at(-1)?.sentAt) - Number(answers[0]?.sentAt)).toBeGreaterThan(2.9);
  // The last of them ended later than a deadline from its beginning would have let it.
  expect(performance.now() - startedAt).toBeGreaterThan(timeoutMs);
  client.close();
});

test('a question that waited has no more than its time once it is sent', async () => {
  const served = await talking((request, socket) => {
    if (request < 2) socket.write(reply);
  });
  const client = clientOf(served.url, { timeoutMs: 1500 });
  expect((await outcomesOf(client, 6)).map(({ kind }) => kind).sort()).toEqual([
    ...Array(2).fill('ok'),
    ...Array(4).fill('timeout'),
  ]);
  client.close();
});

test('one question may have a deadline of its own', async () => {
  const served = await talking(() => undefined);
  const client = clientOf(served.url, { timeoutMs: 60_000 });
  const other = client.liveness([]);
  const { outcome } = await client.readiness([], undefined, { timeoutMs: 50 });
  expect(outcome).toMatchObject({ kind: 'timeout', afterMs: 50 });
  client.close();
  await other;
});

test('a closed client ends what is under way, what waits, and every later question, and asks the node nothing more', async () => {
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

test('an aborted signal ends its question at once, and its connection, and no other question', async () => {
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

test('many questions under one signal leave no listener and no warning behind', async () => {
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
