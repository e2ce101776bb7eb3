// Reading an index in ranges: in order, several in flight, whatever the server does.

import { expect, test } from 'vitest';
import type { Container } from '../../src/protocol/container.ts';
import { type WalkOptions, type WalkStep, walk } from '../../src/walk/walk.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const settings = { first: 0n, concurrency: 3, strict: true } as const;

interface Walked {
  readonly numbers: readonly bigint[];
  readonly containers: readonly Container[];
  readonly steps: readonly WalkStep[];
  readonly failure: string | undefined;
}

const walked = async (options: WalkOptions): Promise<Walked> => {
  const steps: WalkStep[] = [];
  for await (const step of walk(options)) steps.push(step);
  const containers = steps.flatMap((step) => (step.kind === 'containers' ? step.containers : []));
  const last = steps.at(-1);
  return {
    steps,
    containers,
    numbers: containers.map(({ index }) => index),
    failure: last?.kind === 'failed' ? last.failure.kind : undefined,
  };
};

const upTo = (count: number): readonly bigint[] => Array.from({ length: count }, (_, at) => BigInt(at));

test.each([
  { shape: 'an array', wraps: false, plainNumbers: false },
  { shape: 'an object with the array', wraps: true, plainNumbers: false },
  { shape: 'an array with plain numbers', wraps: false, plainNumbers: true },
])('all containers arrive once and in order if a range is $shape', async ({ wraps, plainNumbers }) => {
  const containers = containersOf(5000);
  const { url, asked } = await serveIndex({ containers, wraps, plainNumbers });
  const { asking } = askingAt(url);
  const result = await walked({ ...settings, asking });
  expect(result.containers).toEqual(containers);
  expect(asked.filter(({ method }) => method === 'index.getContainerRange').map(({ params }) => params)).toEqual([
    { encoding: 'hex', startIndex: '0', numToFetch: '1024' },
    { encoding: 'hex', startIndex: '1024', numToFetch: '1024' },
    { encoding: 'hex', startIndex: '2048', numToFetch: '1024' },
    { encoding: 'hex', startIndex: '3072', numToFetch: '1024' },
    { encoding: 'hex', startIndex: '4096', numToFetch: '904' },
  ]);
});

test('a late range delays the following ones, within the allowed concurrency', async () => {
  let release: (() => void) | undefined;
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  let others = 0;
  const odd: Odd = ({ params }) => {
    if (params.startIndex === '0') return { wait };
    // The first range is released once everything allowed next to it was answered.
    if (params.startIndex !== undefined) others += 1;
    if (others === 3) release?.();
    return undefined;
  };
  const server = await serveIndex({ containers: containersOf(9000, 1), odd });
  const { asking } = askingAt(server.url);
  const result = await walked({ ...settings, concurrency: 4, asking });
  expect(result.numbers).toEqual(upTo(9000));
  expect(server.most()).toBeLessThanOrEqual(4);
  expect(server.most()).toBeGreaterThan(1);
});

test('numbers up to 2^64 - 1 are exact', async () => {
  const last = 18_446_744_073_709_551_615n;
  const containers = containersOf(3).map((container, at) => ({ ...container, index: last - 2n + BigInt(at) }));
  const { url } = await serveIndex({ containers });
  const { asking } = askingAt(url);
  const result = await walked({ ...settings, first: last - 2n, asking });
  expect(result.numbers).toEqual([last - 2n, last - 1n, last]);
});

test('a walk over an empty index ends at once', async () => {
  const { url, asked } = await serveIndex({ containers: [] });
  const { asking } = askingAt(url);
  expect(await walked({ ...settings, asking })).toMatchObject({ numbers: [], failure: undefined });
  expect(asked).toHaveLength(1);
});

test('first and last limit the walk, both inclusive', async () => {
  const { url } = await serveIndex({ containers: containersOf(50) });
  const { asking } = askingAt(url);
  expect((await walked({ ...settings, first: 10n, last: 12n, asking })).numbers).toEqual([10n, 11n, 12n]);
  expect((await walked({ ...settings, first: 48n, last: 99n, asking })).numbers).toEqual([48n, 49n]);
  expect((await walked({ ...settings, first: 50n, asking })).numbers).toEqual([]);
});

test('one by one, each container is requested by its number', async () => {
  const { url, asked } = await serveIndex({ containers: containersOf(5) });
  const { asking } = askingAt(url);
  expect((await walked({ ...settings, concurrency: 1, oneByOne: true, asking })).numbers).toEqual(upTo(5));
  expect(asked.map(({ method, params }) => `${method} ${params.index ?? ''}`)).toEqual([
    'index.getLastAccepted ',
    'index.getContainerByIndex 0',
    'index.getContainerByIndex 1',
    'index.getContainerByIndex 2',
    'index.getContainerByIndex 3',
    'index.getContainerByIndex 4',
  ]);
});

test('a followed index also gives containers accepted meanwhile, until it is aborted', async () => {
  const all = containersOf(30);
  const containers = all.slice(0, 10);
  const { url } = await serveIndex({ containers });
  const { asking, abort } = askingAt(url);
  const numbers: bigint[] = [];
  for await (const step of walk({ ...settings, asking, followEvery: 0.01 })) {
    if (step.kind === 'failed') throw new Error(JSON.stringify(step.failure));
    if (step.kind === 'head') {
      // Each look finds three more.
      if (containers.length < all.length && numbers.length > 0)
        containers.push(...all.slice(containers.length, containers.length + 3));
      continue;
    }
    numbers.push(...step.containers.map(({ index }) => index));
    if (numbers.length === 10) containers.push(...all.slice(10, 13));
    if (numbers.length >= 25) abort();
  }
  expect(numbers).toEqual(upTo(numbers.length));
  expect(numbers.length).toBeGreaterThanOrEqual(25);
});

test.each<{ fault: string; odd: Odd; kinds: string }>([
  { fault: 'a reset connection', odd: (_, nth) => (nth === 3 ? 'reset' : undefined), kinds: 'reset' },
  { fault: '503', odd: (_, nth) => (nth === 1 || nth === 4 ? { status: 503 } : undefined), kinds: 'http-status,http-status' },
  { fault: '429', odd: (_, nth) => (nth === 3 ? { status: 429 } : undefined), kinds: 'http-status' },
  { fault: 'a store error of the node', odd: (_, nth) => (nth === 3 ? { error: 'IO error' } : undefined), kinds: 'rpc-error' },
  { fault: '404 from a restarting node', odd: (_, nth) => (nth === 3 ? { status: 404 } : undefined), kinds: 'http-status' },
])('after $fault the request is retried, and nothing is lost or duplicated', async ({ odd, kinds }) => {
  const { url } = await serveIndex({ containers: containersOf(4000, 1), odd });
  const { asking, retries } = askingAt(url);
  expect((await walked({ ...settings, asking })).numbers).toEqual(upTo(4000));
  expect(retries.map(({ kind }) => kind).join(',')).toBe(kinds);
});

test.each<{ fault: string; odd: Odd; failure: string; times: number }>([
  { fault: 'a node that always answers 503', odd: () => ({ status: 503 }), failure: 'http-status', times: 3 },
  { fault: 'an index that is off', odd: () => ({ status: 404 }), failure: 'http-status', times: 1 },
  { fault: 'a malformed response', odd: () => ({ result: { containers: 7 } }), failure: 'malformed', times: 1 },
  {
    fault: 'a rejected method',
    odd: () => ({ error: 'rpc: can\'t find method "index.GetLastAccepted"' }),
    failure: 'rpc-error',
    times: 1,
  },
  { fault: 'a node with a broken store', odd: () => ({ error: 'database closed' }), failure: 'rpc-error', times: 3 },
])('with $fault the request is sent $times times', async ({ odd, failure, times }) => {
  const { url, asked } = await serveIndex({ containers: containersOf(10), odd });
  const { asking } = askingAt(url);
  expect((await walked({ ...settings, asking })).failure).toBe(failure);
  expect(asked).toHaveLength(times);
});

test('a failure is reported after everything that came before it', async () => {
  const odd: Odd = ({ params }) => (params.startIndex === '2048' ? { error: 'database closed' } : undefined);
  const { url } = await serveIndex({ containers: containersOf(6000, 1), odd });
  const { asking } = askingAt(url);
  const result = await walked({ ...settings, asking });
  expect(result.numbers).toEqual(upTo(2048));
  expect(result.steps.at(-1)).toMatchObject({ kind: 'failed', at: 2048n });
});

test.each<{ fault: string; answer: (honest: Container[]) => Container[] }>([
  { fault: 'leaves one out', answer: (honest) => honest.filter(({ index }) => index !== 17n) },
  {
    fault: 'repeats one',
    answer: (honest) => honest.flatMap((container) => (container.index === 17n ? [container, container] : [container])),
  },
  { fault: 'starts at another number', answer: (honest) => honest.slice(1) },
  { fault: 'is empty', answer: () => [] },
])('a strict walk ends at a range that $fault', async ({ answer }) => {
  const containers = containersOf(100);
  const odd: Odd = ({ method }) => (method === 'index.getContainerRange' ? { result: answer(containers) } : undefined);
  const { url } = await serveIndex({ containers, odd });
  const { asking } = askingAt(url);
  expect(await walked({ ...settings, asking })).toMatchObject({ numbers: [], failure: 'malformed' });
});

test('a range with fewer containers than requested is continued', async () => {
  const containers = containersOf(1000);
  const odd: Odd = ({ params: { startIndex, numToFetch } }) => {
    if (startIndex === undefined) return undefined;
    const start = Number(startIndex);
    return { result: containers.slice(start, start + Math.min(100, Number(numToFetch))) };
  };
  const { url } = await serveIndex({ containers, odd });
  const { asking } = askingAt(url);
  expect((await walked({ ...settings, asking })).numbers).toEqual(upTo(1000));
});

test('a range that is too large is requested in parts', async () => {
  const { url } = await serveIndex({ containers: containersOf(600, 200) });
  const { asking } = askingAt(url, { maxBodyBytes: 100_000 });
  expect((await walked({ ...settings, asking })).numbers).toEqual(upTo(600));
});

test('a single container that is too large ends the walk there', async () => {
  const containers = containersOf(40).map((container, at) =>
    at === 20 ? { ...container, bytes: `0x${'00'.repeat(10_000)}` } : container,
  );
  const { url } = await serveIndex({ containers });
  const { asking } = askingAt(url, { maxBodyBytes: 10_000 });
  const result = await walked({ ...settings, asking });
  expect(result.steps.at(-1)).toMatchObject({ kind: 'failed', at: 20n, failure: { kind: 'too-large' } });
});

test('a node that does not answer is asked as often as allowed, each time for less', async () => {
  const odd: Odd = ({ method }) => (method === 'index.getContainerRange' ? 'silence' : undefined);
  const { url, asked } = await serveIndex({ containers: containersOf(1024, 1), odd });
  const { asking } = askingAt(url, { timeoutMs: 2000, tries: 3 });
  expect((await walked({ ...settings, asking })).failure).toBe('timeout');
  const ranges = asked.filter(({ method }) => method === 'index.getContainerRange');
  expect(ranges.map(({ params }) => params.numToFetch)).toEqual(['1024', '512', '256']);
});

test('an abort ends the running requests and starts no more', async () => {
  const odd: Odd = ({ method }) => (method === 'index.getContainerRange' ? 'silence' : undefined);
  const server = await serveIndex({ containers: containersOf(5000, 1), odd });
  const { asking, abort } = askingAt(server.url);
  const result = walked({ ...settings, asking });
  await expect.poll(() => server.asked.length).toBe(4);
  abort();
  expect(await result).toMatchObject({ failure: 'network', numbers: [] });
  expect(server.asked).toHaveLength(4);
});

test('the request rate is limited', async () => {
  const server = await serveIndex({ containers: containersOf(8) });
  const { asking } = askingAt(server.url, { rate: 20 });
  const startedAt = performance.now();
  await walked({ ...settings, oneByOne: true, asking });
  // Nine requests: eight pauses of 50 ms.
  expect(performance.now() - startedAt).toBeGreaterThan(390);
});

test('all requests wait after a failure', async () => {
  const at: number[] = [];
  const odd: Odd = (_, nth) => {
    at.push(performance.now());
    return nth === 2 ? { status: 503 } : undefined;
  };
  const { url } = await serveIndex({ containers: containersOf(6), odd });
  const { asking } = askingAt(url, { backoff: () => 0.5 });
  await walked({ ...settings, concurrency: 1, oneByOne: true, asking });
  expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThan(450);
});
