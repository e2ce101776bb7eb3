// One stretch of an index: in smaller pieces where it is too much at once, in larger ones again where it is not.

import { expect, test } from 'vitest';
import { stretchReader } from '../../src/walk/stretch.ts';
import { askingAt, containersOf, type IndexServer, type Odd, serveIndex } from '../support/index-server.ts';

const rangesOf = ({ asked }: IndexServer): readonly string[] =>
  asked.map(({ params }) => `${params.startIndex} ${params.numToFetch}`);

const upTo = (count: number): readonly bigint[] => Array.from({ length: count }, (_, at) => BigInt(at));

test('after an answer that was too large half as many are asked for, twice as many after each that was not', async () => {
  // Of the first hundred only ten fit into an answer, of the others hundreds.
  const containers = [...containersOf(100, 2000), ...containersOf(2000, 10).slice(100)];
  const server = await serveIndex({ containers });
  const { asking } = askingAt(server.url, { maxBodyBytes: 50_000 });
  const reader = stretchReader(asking, true);
  const first = await reader.read(0n, 200n);
  expect(first.kind === 'containers' && first.containers.map(({ index }) => index)).toEqual(upTo(200));
  const counts = server.asked.map(({ params }) => Number(params.numToFetch));
  // Twelve fit, which it learns anew each time.
  expect(counts.slice(0, 8)).toEqual([200, 100, 50, 25, 12, 24, 12, 24]);
  expect(Math.max(...counts.slice(8))).toBeGreaterThan(40);
});

test('the next stretches are as long as what was answered, and a little longer after each that was', async () => {
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
  // 128 were answered, and that is as long as the next may be; answered, it may be a sixteenth and one longer.
  expect(reader.span()).toBe(128n + 8n + 1n);
  limit = 2000;
  for (let round = 0; round < 40; round += 1) {
    const before = reader.span();
    expect(await reader.read(0n, before)).toMatchObject({ kind: 'containers' });
    expect(reader.span()).toBe(before + before / 16n + 1n < 1024n ? before + before / 16n + 1n : 1024n);
  }
  expect(reader.span()).toBe(1024n);
});

test('as many failures as may be are meant in a row: an answer between two of them counts anew', {
  timeout: 280_000,
}, async () => {
  // Whatever is more than one is left without an answer.
  const odd: Odd = ({ params }) => (Number(params.numToFetch) > 1 ? 'silence' : undefined);
  const server = await serveIndex({ containers: containersOf(8), odd });
  const { asking } = askingAt(server.url, { timeoutMs: 1000, tries: 3 });
  const stretch = await stretchReader(asking, true).read(0n, 4n);
  expect(stretch.kind === 'containers' && stretch.containers.map(({ index }) => index)).toEqual(upTo(4));
  expect(server.asked.filter(({ params }) => params.numToFetch !== '1').length).toBeGreaterThan(3);
});

test('not strict, an answer without a container is passed over a number at a time, and ends', async () => {
  const odd: Odd = () => ({ result: [] });
  const server = await serveIndex({ containers: containersOf(10), odd });
  const { asking } = askingAt(server.url);
  expect(await stretchReader(asking, false).read(2n, 6n)).toEqual({ kind: 'containers', first: 2n, end: 6n, containers: [] });
  expect(server.asked).toHaveLength(4);
});

test('not strict, an answer that goes beyond what was asked for ends the stretch', async () => {
  const containers = containersOf(10);
  const odd: Odd = () => ({ result: containers });
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url);
  expect(await stretchReader(asking, false).read(2n, 6n)).toMatchObject({ kind: 'containers', end: 6n, containers });
  expect(server.asked).toHaveLength(1);
});

test('not strict, a number that the index has none for is left out, and the others come once', async () => {
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
  // Asked once each: what narrows it down is asking for less, not asking again.
  expect(rangesOf(server)).toEqual([...new Set(rangesOf(server))]);
});
