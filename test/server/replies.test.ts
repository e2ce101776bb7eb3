// Replies are made once for all who ask the same, kept as bytes for as long as they are true, and forgotten. Counted, not timed.

import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../../src/pause.ts';
import { createReplies, type RepliesOptions, relevant } from '../../src/server/replies.ts';
import { bytesOf } from '../support/metrics.ts';

/** Questions by key; `version` may change, and every reply says how many were made before it. */
const asked = (options: RepliesOptions = {}, body = (key: string, made: number): string => `${key} ${made}`) => {
  // As long as the test: a machine that stands still would have them forgotten.
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

test('who asks the same gets the same bytes, at the same moment and later', async () => {
  const { known, ask } = asked();
  const first = await Promise.all(Array.from({ length: 20 }, () => ask('a')));
  const later = await ask('a');
  expect(known.made).toBe(1);
  expect(new Set([...first, later].map(({ body }) => body)).size).toBe(1);
});

test('plain and compressed are one reply, and each is there once', async () => {
  const { known, ask } = asked();
  const [plain, small, other] = await Promise.all([ask('a'), ask('a', 'gzip'), ask('a', 'gzip, br')]);
  expect(known.made).toBe(1);
  expect(small.headers).toEqual({ 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
  expect(gunzipSync(bytesOf(small.body))).toEqual(plain.body);
  expect(other.body).toBe(small.body);
});

test('what changed is told at once, and by what is made while it changes only to who asked before', async () => {
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

test('one is made at a time, and other questions have their turn', async () => {
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

test('10,000 different questions leave what is asked for often, and no more than the bounds', async () => {
  const { known, ask } = asked({ maxReplies: 8 });
  for (let at = 0; at < 10_000; at += 1) {
    await ask(`${at}`);
    if (at % 5 === 0) await ask('often');
  }
  expect(known.made).toBe(10_001);
  const last = Array.from({ length: 10 }, (_, at) => `${9_990 + at}`);
  for (const key of last.toReversed()) await ask(key);
  // Seven, and the one that is asked for often.
  expect(known.made).toBe(10_001 + 3);
});

test('large ones make room sooner, and the last is kept whatever its size', async () => {
  const { known, ask } = asked({ maxBytes: 1000 }, (key) => 'x'.repeat(Number(key)));
  for (const key of ['400', '401', '402', '402', '401']) await ask(key);
  expect(known.made).toBe(3);
  await ask('400');
  expect(known.made).toBe(4);
  for (const key of ['5000', '5000', '402']) await ask(key);
  expect(known.made).toBe(6);
});

test('of more different questions than may wait the last are 503', async () => {
  const { ask } = asked({ maxWaiting: 10 });
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(`${at}`)));
  expect(all.map(({ status }) => status)).toEqual([...Array(10).fill(200), 503, 503]);
  expect(all.at(-1)?.headers).toMatchObject({ 'Retry-After': '1' });
  expect((await ask('11')).status).toBe(200);
});

test('what nobody asks for any more is forgotten', async () => {
  const { known, ask } = asked({ keptMs: 1 });
  await ask('a');
  const again = async (): Promise<number> => {
    await ask('a');
    return known.made;
  };
  await expect.poll(again).toBeGreaterThan(1);
});

test('what is read of a query has one order, and what is not read is nothing', () => {
  expect(`${relevant('x=1&label=b%3D1&q=a+b&label=a&x=2', ['q', 'label'])}`).toBe('q=a+b&label=b%3D1&label=a');
});
