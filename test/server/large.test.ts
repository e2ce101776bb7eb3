// Large pages are bounded in number and in time: whoever reads slowly holds megabytes.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { piecesOf } from '../../src/chunks.ts';
import type { Joined } from '../../src/metrics/join.ts';
import { networksOf } from '../../src/networks.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { until } from '../support/until.ts';

/** More than the kernel takes. */
const large = Buffer.alloc(32 * 1024 * 1024, 'a\n');

const sockets: ClientRequest[] = [];
afterEach(() => {
  for (const one of sockets.splice(0)) one.destroy();
});

/** The head of an answer whose body nobody reads. `from`: whom a proxy names. */
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

test('half of so many are sent to one address at a time, and one more is 503 until one of them ends', async () => {
  const metrics = () => ({ body: large, headers: {} });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 4 } });
  const first = await ask(`${url}/metrics`);
  const second = await ask(`${url}/metrics`);
  const third = await ask(`${url}/metrics`);
  expect([first, second, third].map(({ statusCode }) => statusCode)).toEqual([200, 200, 503]);
  expect(third.headers['retry-after']).toBe('1');
  // What is small, or has no body, is answered all the time.
  expect((await ask(`${url}/livez`)).statusCode).toBe(200);
  expect((await ask(`${url}/metrics`, { method: 'HEAD' })).statusCode).toBe(200);
  expect(await closed(first)).toBe(`${large.length}`);
  // The server hears of the end after the reader does.
  let fourth = await ask(`${url}/metrics`);
  while (fourth.statusCode !== 200) fourth = await ask(`${url}/metrics`);
  second.destroy();
  expect(await closed(fourth)).toBe(`${large.length}`);
});

test('the other half is sent to others, whom a trusted proxy names', async () => {
  const metrics = () => ({ body: large, headers: {} });
  const clients = () => ({ allowedHosts: [], isTrustedProxy: networksOf(['127.0.0.1']) });
  const { url } = await serveExporter({ metrics, clients, options: { maxLarge: 4 } });
  const statuses: unknown[] = [];
  for (const last of [1, 1, 1, 2, 2, 3]) statuses.push((await ask(`${url}/metrics`, { from: `10.0.0.${last}` })).statusCode);
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
  // Who went leaves room for one of its address.
  sockets[0]?.destroy();
  let next = await ask(`${url}/metrics`, { from: '10.0.0.3' });
  while (next.statusCode !== 200) next = await ask(`${url}/metrics`, { from: '10.0.0.3' });
  expect((await ask(`${url}/metrics`, { from: '10.0.0.1' })).statusCode).toBe(503);
  sockets[3]?.destroy();
  next = await ask(`${url}/metrics`, { from: '10.0.0.1' });
  while (next.statusCode !== 200) next = await ask(`${url}/metrics`, { from: '10.0.0.1' });
});

test('one whose reader went while it was made holds up nobody', async () => {
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
      // What the channel publishes.
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
  { page: 'a page that is joined meanwhile', body: joined(large) },
])('a reader of $page that reads no more is cut off while much time is left for the rest, and makes room', async ({ body }) => {
  const metrics = () => ({ body, headers: {} });
  const { url } = await serveExporter({ metrics, options: { maxLarge: 1, stalledMs: 2000 } });
  const stalled = await ask(`${url}/metrics`);
  expect([stalled, await ask(`${url}/metrics`)].map(({ statusCode }) => statusCode)).toEqual([200, 503]);
  const next = await until('room for another', async () => {
    const answer = await ask(`${url}/metrics`);
    return answer.statusCode === 200 && answer;
  });
  // Who reads gets all of it.
  expect(await closed(next)).toBe(`${large.length}`);
  expect(await closed(stalled)).toBe('broken off');
});

test('one that is not read in time is broken off, and makes room', async () => {
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
