// Stretches in order: none after a failed one, and none requested any more.

import { expect, test } from 'vitest';
import { maxCrowdedMs } from '../../src/client/deadline.ts';
import { describe } from '../../src/client/outcome.ts';
import type { Asking } from '../../src/walk/asking.ts';
import { type RangeOptions, ranges } from '../../src/walk/ranges.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const containers = containersOf(20);

const read = async (odd: Odd, over: Partial<RangeOptions> = {}) => {
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url);
  const seen: string[] = [];
  let questions = 0;
  const ask: Asking['ask'] = (question, isFinal) => {
    questions += 1;
    return asking.ask(question, isFinal);
  };
  for await (const stretch of ranges({
    asking: { ...asking, ask },
    first: 0n,
    end: 20n,
    concurrency: 3,
    strict: true,
    oneByOne: true,
    ...over,
  }))
    seen.push(stretch.kind === 'failed' ? `${stretch.at} ${stretch.failure.kind}` : `${stretch.first}-${stretch.end}`);
  return { seen, questions, asked: server.asked.map(({ params }) => params.index) };
};

test('the first failed stretch is the last one', async () => {
  const { seen, questions } = await read(({ params }) => (params.index === '2' ? { status: 400 } : undefined));
  expect(seen).toEqual(['0-1', '1-2', '2 http-status']);
  // Three are in flight: each that arrives starts one more, and the failed one starts none.
  expect(questions).toBe(5);
});

test('one by one, a container with another number than requested is a failure', async () => {
  const wire = { ...containers[7], index: '7' };
  const { seen } = await read(({ params }) => (params.index === '1' ? { result: wire } : undefined));
  expect(seen).toEqual(['0-1', '1 malformed']);
});

test('nothing beyond the end is requested', async () => {
  const { seen, asked } = await read(() => undefined, { first: 17n, end: 19n });
  expect([seen, asked.toSorted()]).toEqual([
    ['17-18', '18-19'],
    ['17', '18'],
  ]);
});

test('large responses on a slow link are all waited for: the walk does not crowd itself out', {
  timeout: 420_000,
}, async () => {
  const concurrency = 8;
  // Too large to be received next to others, and so slow that the last ones wait longer than maxCrowdedMs.
  const slow = { pastBytes: 600 * 1024, ms: maxCrowdedMs + 500 };
  const server = await serveIndex({ containers: containersOf(concurrency, 400_000), slow });
  const { asking, retries } = askingAt(server.url, { maxConnections: concurrency, tries: 1 });
  const seen: string[] = [];
  for await (const stretch of ranges({ asking, first: 0n, end: 8n, concurrency, strict: true, oneByOne: true }))
    seen.push(stretch.kind === 'failed' ? describe(stretch.failure) : `${stretch.first}`);
  expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(retries).toEqual([]);
  expect(server.most()).toBe(concurrency);
});
