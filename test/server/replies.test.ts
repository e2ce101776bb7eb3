// Replies are rendered once for all identical requests, cached as bytes while they are valid, and evicted. Counted, not timed.

import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../../src/pause.ts';
import { createReplies, type RepliesOptions, relevant } from '../../src/server/replies.ts';
import { bytesOf } from '../support/metrics.ts';

/** Requests by key; `version` may change, and every reply has the number of replies rendered so far. */
const asked = (options: RepliesOptions = {}, body = (key: string, made: number): string => `${key} ${made}`) => {
  // Longer than the test, so that a slow machine evicts nothing.
  const replies = createReplies({ keptMs: 300_000, ...options });
  const known = { version: 1, made: 0 };
  const ask = async (key: string, acceptEncoding?: string) => {
    const make = async () => {
      known.made += 1;
      const text = body(key, known.made);
      await yieldToEventLoop();
      return { status: 200, headers: { 'Content-Type': 'text/plain' }, body: text };
    };
    return replies({ key, madeOf: () => [known.version], make }, acceptEncoding);
  };
  return { known, ask };
};

test('identical requests get the same bytes, concurrent or later', async () => {
  const { known, ask } = asked();
  const first = await Promise.all(Array.from({ length: 20 }, () => ask('a')));
  const later = await ask('a');
  expect(known.made).toBe(1);
  expect(new Set([...first, later].map(({ body }) => body)).size).toBe(1);
});

test('plain and gzip bodies belong to one reply, and each is kept once', async () => {
  const { known, ask } = asked();
  const [plain, small, other] = await Promise.all([ask('a'), ask('a', 'gzip'), ask('a', 'gzip, br')]);
  expect(known.made).toBe(1);
  expect(small.headers).toEqual({ 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
  expect(gunzipSync(bytesOf(small.body))).toEqual(plain.body);
  expect(other.body).toBe(small.body);
});

test('after a change, requests get a new reply; a reply rendered during the change goes only to earlier requests', async () => {
  const { known, ask } = asked();
  const before = ask('a');
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(known.made).toBe(1);
  const meanwhile = Array.from({ length: 20 }, (_, version) => {
    known.version = 2 + version;
    return ask('a');
  });
  const said = (await Promise.all([before, ...meanwhile])).map(({ body }) => bytesOf(body).toString());
  expect(said).toEqual(['a 1', ...Array(20).fill('a 2')]);
  known.version += 1;
  expect(bytesOf((await ask('a')).body).toString()).toBe('a 3');
});

test('renders one reply at a time', async () => {
  let [under, most] = [0, 0];
  const replies = createReplies();
  const make = async () => {
    under += 1;
    most = Math.max(most, under);
    await yieldToEventLoop();
    under -= 1;
    return { status: 200, headers: {}, body: '' };
  };
  await Promise.all(Array.from({ length: 50 }, (_, at) => replies({ key: `${at}`, madeOf: () => [], make }, undefined)));
  expect(most).toBe(1);
});

test('10,000 different requests do not evict a frequent one, and at most maxReplies are kept', async () => {
  const { known, ask } = asked({ maxReplies: 8 });
  for (let at = 0; at < 10_000; at += 1) {
    await ask(`${at}`);
    if (at % 5 === 0) await ask('often');
  }
  expect(known.made).toBe(10_001);
  const last = Array.from({ length: 10 }, (_, at) => `${9_990 + at}`);
  for (const key of last.toReversed()) await ask(key);
  // Seven are cached, and the frequent one.
  expect(known.made).toBe(10_001 + 3);
});

test('large replies are evicted at maxBytes, but the last one is kept whatever its size', async () => {
  const { known, ask } = asked({ maxBytes: 1000 }, (key) => 'x'.repeat(Number(key)));
  for (const key of ['400', '401', '402', '402', '401']) await ask(key);
  expect(known.made).toBe(3);
  await ask('400');
  expect(known.made).toBe(4);
  for (const key of ['5000', '5000', '402']) await ask(key);
  expect(known.made).toBe(6);
});

test('different requests above maxWaiting get 503', async () => {
  const { ask } = asked({ maxWaiting: 10 });
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(`${at}`)));
  expect(all.map(({ status }) => status)).toEqual([...Array(10).fill(200), 503, 503]);
  expect(all.at(-1)?.headers).toMatchObject({ 'Retry-After': '1' });
  expect((await ask('11')).status).toBe(200);
});

test('a reply that is no longer requested is evicted after keptMs', async () => {
  const { known, ask } = asked({ keptMs: 1 });
  await ask('a');
  const again = async (): Promise<number> => {
    await ask('a');
    return known.made;
  };
  await expect.poll(again).toBeGreaterThan(1);
});

test('relevant() orders the known parameters of a query, and drops the others', () => {
  expect(`${relevant('x=1&label=b%3D1&q=a+b&label=a&x=2', ['q', 'label'])}`).toBe('q=a+b&label=b%3D1&label=a');
});
