// Large pages are limited in number and in time, because a slow reader holds megabytes.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { piecesOf } from '../../src/chunks.ts';
import type { Joined } from '../../src/metrics/join.ts';
import { networksOf } from '../../src/networks.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { until } from '../support/until.ts';

/** More than the kernel buffers. */
const large = Buffer.alloc(32 * 1024 * 1024, 'a\n');

const sockets: ClientRequest[] = [];
afterEach(() => {
  for (const one of sockets.splice(0)) one.destroy();
});

/** Resolves with the head of a response whose body is not read. `from`: the client address that a proxy forwards. */
const ask = (url: string, { method = 'GET', from = '' } = {}) =>
  new Promise<IncomingMessage>((resolve) => {
    const headers = { 'X-Forwarded-For': from };
    const request = get(url, { method, headers, agent: false }, resolve).on('error', () => undefined);
    sockets.push(request);
  });

const closed = (response: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    response.on('error', () => resolve('broken off'));
    response.on('end', () => resolve(`${length}`));
  });

test('one address gets half of the large pages at a time, and 503 above that until one of them ends', async () => {
  const metrics = () => ({ body: large, headers: {} });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 4 } });
  const first = await ask(`${url}/metrics`);
  const second = await ask(`${url}/metrics`);
  const third = await ask(`${url}/metrics`);
  expect([first, second, third].map(({ statusCode }) => statusCode)).toEqual([200, 200, 503]);
  expect(third.headers['retry-after']).toBe('1');
  // Small responses and responses without a body are not limited.
  expect((await ask(`${url}/livez`)).statusCode).toBe(200);
  expect((await ask(`${url}/metrics`, { method: 'HEAD' })).statusCode).toBe(200);
  expect(await closed(first)).toBe(`${large.length}`);
  // The server notices the end after the client does.
  let fourth = await ask(`${url}/metrics`);
  while (fourth.statusCode !== 200) fourth = await ask(`${url}/metrics`);
  second.destroy();
  expect(await closed(fourth)).toBe(`${large.length}`);
});

test('other addresses, forwarded by a trusted proxy, get the other half', async () => {
  const metrics = () => ({ body: large, headers: {} });
  const clients = () => ({ allowedHosts: [], isTrustedProxy: networksOf(['127.0.0.1']) });
  const { url } = await serveExporter({ metrics, clients, options: { maxLarge: 4 } });
  const statuses: unknown[] = [];
  for (const last of [1, 1, 1, 2, 2, 3]) statuses.push((await ask(`${url}/metrics`, { from: `10.0.0.${last}` })).statusCode);
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
  // A closed connection frees a slot for its address.
  sockets[0]?.destroy();
  let next = await ask(`${url}/metrics`, { from: '10.0.0.3' });
  while (next.statusCode !== 200) next = await ask(`${url}/metrics`, { from: '10.0.0.3' });
  expect((await ask(`${url}/metrics`, { from: '10.0.0.1' })).statusCode).toBe(503);
  sockets[3]?.destroy();
  next = await ask(`${url}/metrics`, { from: '10.0.0.1' });
  while (next.statusCode !== 200) next = await ask(`${url}/metrics`, { from: '10.0.0.1' });
});

test('a client that disconnects while its page is rendered frees its slot', async () => {
  let [made, isAsked] = [false, false];
  let make: () => void = () => undefined;
  const page = { body: large, headers: {} };
  const metrics = () => {
    isAsked = true;
    return made
      ? page
      : new Promise<typeof page>((resolve) => {
          make = () => resolve(page);
        });
  };
  const gone = new Promise((resolve) => {
    const begun = (message: unknown): void => {
      // The message type of this channel.
      const { response } = message as { readonly response: ServerResponse };
      response.once('close', resolve);
      unsubscribe('http.server.request.start', begun);
    };
    subscribe('http.server.request.start', begun);
  });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 1 } });
  void ask(`${url}/metrics`);
  await expect.poll(() => isAsked).toBe(true);
  sockets.at(-1)?.destroy();
  await gone;
  make();
  made = true;
  expect(await closed(await ask(`${url}/metrics`))).toBe(`${large.length}`);
});

const joined = (page: Uint8Array): Joined => ({ length: page.length, chunks: () => piecesOf(page, 256 * 1024) });

test.each([
  { page: 'bytes', body: large },
  { page: 'a page that is assembled while it is sent', body: joined(large) },
])('a client that stops reading $page is disconnected after stalledMs, and frees its slot', async ({ body }) => {
  const metrics = () => ({ body, headers: {} });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 1, stalledMs: 4000 } });
  const stalled = await ask(`${url}/metrics`);
  expect([stalled, await ask(`${url}/metrics`)].map(({ statusCode }) => statusCode)).toEqual([200, 503]);
  const next = await until('room for another', async () => {
    const answer = await ask(`${url}/metrics`);
    return answer.statusCode === 200 && answer;
  });
  // A client that reads gets the whole page.
  expect(await closed(next)).toBe(`${large.length}`);
  expect(await closed(stalled)).toBe('broken off');
});

test('a page that is not read within largeMs is aborted, and frees its slot', async () => {
  const metrics = () => ({ body: large, headers: {} });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 1, largeMs: 1000 } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = await ask(`${url}/metrics`);
  vi.advanceTimersByTime(999);
  let next = await ask(`${url}/metrics`);
  expect(next.statusCode).toBe(503);
  vi.advanceTimersByTime(1);
  while (next.statusCode !== 200) next = await ask(`${url}/metrics`);
  expect(await closed(slow)).toBe('broken off');
});
