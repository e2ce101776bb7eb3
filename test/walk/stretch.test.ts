// One stretch of an index: in smaller parts if it is too large, and in larger ones again if not.

import { expect, test } from 'vitest';
import { stretchReader } from '../../src/walk/stretch.ts';
import { askingAt, containersOf, type IndexServer, type Odd, serveIndex } from '../support/index-server.ts';

const rangesOf = ({ asked }: IndexServer): readonly string[] =>
  asked.map(({ params }) => `${params.startIndex} ${params.numToFetch}`);

const upTo = (count: number): readonly bigint[] => Array.from({ length: count }, (_, at) => BigInt(at));

test('a response that is too large halves the next count, any other doubles it', async () => {
  // Only ten of the first hundred fit into a response, hundreds of the others.
  const containers = [...containersOf(100, 2000), ...containersOf(2000, 10).slice(100)];
  const server = await serveIndex({ containers });
  const { asking } = askingAt(server.url, { maxBodyBytes: 50_000 });
  const reader = stretchReader(asking, true);
  const first = await reader.read(0n, 200n);
  expect(first.kind === 'containers' && first.containers.map(({ index }) => index)).toEqual(upTo(200));
  const counts = server.asked.map(({ params }) => Number(params.numToFetch));
  // Twelve fit; the reader finds that out again each time.
  expect(counts.slice(0, 8)).toEqual([200, 100, 50, 25, 12, 24, 12, 24]);
  expect(Math.max(...counts.slice(8))).toBeGreaterThan(40);
});

test('the next stretches are as long as the last response, and grow a little after each', async () => {
  let limit = 128;
  const containers = containersOf(4000, 1);
  const odd: Odd = ({ params }) =>
    Number(params.numToFetch) > limit
      ? { result: [{ ...containers[0], index: '0', bytes: `0x${'00'.repeat(300_000)}` }] }
      : undefined;
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url, { maxBodyBytes: 500_000 });
  const reader = stretchReader(asking, true);
  expect(reader.span()).toBe(1024n);
  expect(await reader.read(0n, 1024n)).toMatchObject({ kind: 'containers', first: 0n, end: 1024n });
  expect(server.asked.slice(0, 4).map(({ params }) => params.numToFetch)).toEqual(['1024', '512', '256', '128']);
  // 128 were answered: the next stretch may be that plus a sixteenth and one.
  expect(reader.span()).toBe(128n + 8n + 1n);
  limit = 2000;
  for (let round = 0; round < 40; round += 1) {
    const before = reader.span();
    expect(await reader.read(0n, before)).toMatchObject({ kind: 'containers' });
    expect(reader.span()).toBe(before + before / 16n + 1n < 1024n ? before + before / 16n + 1n : 1024n);
  }
  expect(reader.span()).toBe(1024n);
});

test('the limit counts consecutive failures: a response in between resets it', {
  timeout: 280_000,
}, async () => {
  // A request for more than one gets no answer.
  const odd: Odd = ({ params }) => (Number(params.numToFetch) > 1 ? 'silence' : undefined);
  const server = await serveIndex({ containers: containersOf(8), odd });
  const { asking } = askingAt(server.url, { timeoutMs: 1000, tries: 3 });
  const stretch = await stretchReader(asking, true).read(0n, 4n);
  expect(stretch.kind === 'containers' && stretch.containers.map(({ index }) => index)).toEqual(upTo(4));
  expect(server.asked.filter(({ params }) => params.numToFetch !== '1').length).toBeGreaterThan(3);
});

test('a response that is cut off halves the next count after a back-off, and fails after the last try', async () => {
  const odd: Odd = ({ params }) => (Number(params.numToFetch) > 2 || params.startIndex === '7' ? 'reset' : undefined);
  const server = await serveIndex({ containers: containersOf(8), odd });
  const failures: number[] = [];
  const backoff = (count: number): number => {
    failures.push(count);
    return 0;
  };
  const { asking, retries } = askingAt(server.url, { tries: 3, backoff });
  const reader = stretchReader(asking, true);
  expect(await reader.read(0n, 5n)).toMatchObject({ kind: 'containers', containers: containersOf(5) });
  // The client itself sends a request again if a reused connection was closed.
  expect([...new Set(rangesOf(server))]).toEqual(['0 5', '0 2', '2 3', '2 1', '3 2']);
  expect([retries.map(({ kind }) => kind), failures, reader.span()]).toEqual([['reset', 'reset'], [1, 1], 3n]);
  expect(await reader.read(7n, 8n)).toMatchObject({ kind: 'failed', at: 7n, failure: { kind: 'reset' } });
  expect(failures).toEqual([1, 1, 1, 2]);
});

test('not strict, an empty response is skipped number by number to the end', async () => {
  const odd: Odd = () => ({ result: [] });
  const server = await serveIndex({ containers: containersOf(10), odd });
  const { asking } = askingAt(server.url);
  expect(await stretchReader(asking, false).read(2n, 6n)).toEqual({ kind: 'containers', first: 2n, end: 6n, containers: [] });
  expect(server.asked).toHaveLength(4);
});

test('not strict, a response beyond the requested range ends the stretch', async () => {
  const containers = containersOf(10);
  const odd: Odd = () => ({ result: containers });
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url);
  expect(await stretchReader(asking, false).read(2n, 6n)).toMatchObject({ kind: 'containers', end: 6n, containers });
  expect(server.asked).toHaveLength(1);
});

test('not strict, a missing number is left out and the others arrive once', async () => {
  const containers = containersOf(10);
  const odd: Odd = ({ params }) => {
    const [start, count] = [Number(params.startIndex), Number(params.numToFetch)];
    return start <= 3 && start + count > 3 ? { error: 'no container at index 3' } : undefined;
  };
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url);
  const stretch = await stretchReader(asking, false).read(0n, 10n);
  expect(stretch.kind === 'containers' && stretch.containers.map(({ index }) => index)).toEqual(
    upTo(10).filter((number) => number !== 3n),
  );
  // Each range is requested once: narrowing down means smaller ranges, not retries.
  expect(rangesOf(server)).toEqual([...new Set(rangesOf(server))]);
});
