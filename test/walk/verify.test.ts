// Each fault of an index is found, and nothing is found in a sound one.

import { expect, test } from 'vitest';
import type { Container } from '../../src/protocol/container.ts';
import { isSound, type Verified, type VerifyOptions, verify } from '../../src/walk/verify.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const verified = async (containers: readonly Container[], odd?: Odd, over: Partial<VerifyOptions> = {}): Promise<Verified> => {
  const { url } = await serveIndex({ containers, ...(odd !== undefined && { odd }) });
  const { asking } = askingAt(url);
  return verify({ asking, first: 0n, concurrency: 3, idEvery: 1, numberEvery: 1, ...over });
};

const found = ({ findings }: Verified): readonly string[] => findings.map(({ kind, number }) => `${kind} ${number}`);

const changed = (at: number, change: Partial<Container>): Container[] =>
  containersOf(100).map((container, number) => (number === at ? { ...container, ...change } : container));

const [other] = containersOf(1, 60);

test('a sound index has no findings', async () => {
  const result = await verified(containersOf(1100), undefined, { idEvery: 10, numberEvery: 10 });
  expect(isSound(result)).toBe(true);
  // One in ten, and both ends of each range: 1023, 1024 and 1099.
  expect(result).toMatchObject({
    containers: 1100,
    crossChecked: 2 * (110 + 3),
    first: 0n,
    end: 1100n,
    missing: 0n,
    findings: [],
  });
});

test('an empty index has no findings, unless it should hold something', async () => {
  expect(await verified([])).toMatchObject({ containers: 0, end: 0n, findings: [] });
  expect(await verified([], undefined, { last: 4n })).toMatchObject({ missing: 5n, findings: [{ kind: 'gap', number: 0n }] });
});

test.each<{ wrong: string; containers: readonly Container[]; findings: readonly string[] }>([
  {
    wrong: 'one number has no container',
    containers: containersOf(100).filter(({ index }) => index !== 17n),
    findings: ['gap 17'],
  },
  {
    wrong: 'some numbers have no container',
    containers: containersOf(100).filter(({ index }) => index < 17n || index > 20n),
    findings: ['gap 17'],
  },
  { wrong: 'the first is missing', containers: containersOf(100).slice(1), findings: ['gap 0'] },
  {
    wrong: 'one id has two numbers',
    containers: changed(
      60,
      containersOf(7)
        .map(({ id, bytes }) => ({ id, bytes }))
        .at(-1) ?? {},
    ),
    findings: ['duplicate 60', 'id 60'],
  },
  { wrong: 'time runs backwards', containers: changed(40, { timestamp: '2027-01-15T07:59:59Z' }), findings: ['time 40'] },
  {
    wrong: 'time runs backwards by a nanosecond',
    containers: containersOf(100).map((container, at) => ({
      ...container,
      timestamp: `2027-01-15T08:00:00.00000000${at === 3 ? 1 : 2}Z`,
    })),
    findings: ['time 3'],
  },
  { wrong: 'the id is not the hash of the bytes', containers: changed(5, { bytes: other?.bytes ?? '' }), findings: ['hash 5'] },
  { wrong: 'the checksum of the bytes is wrong', containers: changed(5, { bytes: '0x0011223344556677' }), findings: ['bytes 5'] },
  { wrong: 'the bytes are not hex', containers: changed(5, { bytes: '0xzz' }), findings: ['bytes 5'] },
  { wrong: 'the encoding is not hex', containers: changed(5, { encoding: 'json' }), findings: ['bytes 5'] },
])('if $wrong, exactly that is found', async ({ containers, findings }) => {
  const result = await verified(containers, undefined, { idEvery: 10, numberEvery: 10 });
  expect(found(result)).toEqual(findings);
  expect(isSound(result)).toBe(false);
});

test('times in different offsets are compared as instants', async () => {
  const offsets = ['2027-01-15T08:00:00Z', '2027-01-15T13:30:01+05:30', '2027-01-15T00:00:02.5-08:00', '2027-01-15T08:00:03Z'];
  const containers = containersOf(4).map((container, at) => ({ ...container, timestamp: offsets[at] ?? '' }));
  expect(found(await verified(containers))).toEqual([]);
});

test('a range in reverse order is reported number by number', async () => {
  const containers = containersOf(10);
  const odd: Odd = ({ method }) => (method === 'index.getContainerRange' ? { result: containers.toReversed() } : undefined);
  const result = await verified(containers, odd);
  expect(result.counts).toMatchObject({ gap: 1, number: 9, time: 9 });
});

test('a container that is twice in a range is a repeated number', async () => {
  const containers = containersOf(10);
  const odd: Odd = ({ method }) =>
    method === 'index.getContainerRange'
      ? { result: containers.flatMap((one) => (one.index === 4n ? [one, one] : [one])) }
      : undefined;
  expect(found(await verified(containers, odd))).toEqual(['number 4']);
});

test.each<{ wrong: string; odd: Odd; findings: readonly string[] }>([
  {
    wrong: 'an id has another number',
    odd: ({ method, params }) =>
      method === 'index.getIndex' && params.id === containersOf(8)[7]?.id ? { result: { index: 9 } } : undefined,
    findings: ['id 7'],
  },
  {
    wrong: 'an id is not found',
    odd: ({ method, params }) =>
      method === 'index.getIndex' && params.id === containersOf(8)[7]?.id ? { error: 'not found' } : undefined,
    findings: ['id 7'],
  },
  {
    wrong: 'a request by number returns another container',
    odd: ({ method, params }) =>
      method === 'index.getContainerByIndex' && params.index === '7'
        ? { result: { ...containersOf(9)[8], index: 7 } }
        : undefined,
    findings: ['id 7'],
  },
  {
    wrong: 'a number is not found',
    odd: ({ method, params }) =>
      method === 'index.getContainerByIndex' && params.index === '7' ? { error: 'no container at index 7' } : undefined,
    findings: ['id 7'],
  },
  {
    wrong: 'the newest container differs from that of its number',
    odd: ({ method }) => (method === 'index.getLastAccepted' ? { result: { ...other, index: 99 } } : undefined),
    findings: ['last 99'],
  },
])('the cross-check finds it if $wrong', async ({ odd, findings }) => {
  expect(found(await verified(containersOf(100), odd))).toEqual(findings);
});

test('one in idEvery containers is cross-checked, and the ends of each range', async () => {
  const server = await serveIndex({ containers: containersOf(2000) });
  const { asking } = askingAt(server.url);
  const result = await verify({ asking, first: 0n, concurrency: 3, idEvery: 500, numberEvery: 0 });
  expect(result.crossChecked).toBe(4 + 3);
  expect(server.asked.filter(({ method }) => method === 'index.getIndex')).toHaveLength(7);
  expect(server.asked.filter(({ method }) => method === 'index.getContainerByIndex')).toHaveLength(0);
  // In addition to the ranges in flight, at most three requests run at once.
  expect(server.most()).toBeLessThanOrEqual(6);
});

test('a gap for which the server refuses ranges is narrowed down', async () => {
  const containers = containersOf(3000);
  const lost = new Set([1500n, 1501n, 2047n]);
  const odd: Odd = ({ method, params }) => {
    if (method !== 'index.getContainerRange') return undefined;
    const [start, count] = [BigInt(params.startIndex ?? 0), BigInt(params.numToFetch ?? 0)];
    return [...lost].some((number) => number >= start && number < start + count)
      ? { error: `couldn't get container at index ${start}: couldn't read from database: not found` }
      : undefined;
  };
  const result = await verified(containers, odd, { idEvery: 0, numberEvery: 0 });
  expect(found(result)).toEqual(['gap 1500', 'gap 2047']);
  expect(result).toMatchObject({ containers: 2997, missing: 3n });
});

test('a temporary store error is retried and is not a gap', async () => {
  let errors = 0;
  const odd: Odd = ({ method }) => {
    if (method !== 'index.getContainerRange' || errors === 15) return undefined;
    errors += 1;
    return { error: 'IO error' };
  };
  const { url } = await serveIndex({ containers: containersOf(1100), odd });
  const { asking, retries } = askingAt(url, { tries: 8 });
  const result = await verify({ asking, first: 0n, concurrency: 1, idEvery: 0, numberEvery: 0 });
  expect(result).toMatchObject({ containers: 1100, missing: 0n, findings: [] });
  expect(isSound(result)).toBe(true);
  // The count is halved ten times; then the single number is retried.
  expect(retries).toHaveLength(5);
});

test('a permanent store error ends the verification and is not a gap', async () => {
  const odd: Odd = ({ method, params }) =>
    method === 'index.getContainerRange' && BigInt(params.startIndex ?? 0) + BigInt(params.numToFetch ?? 0) > 5n
      ? { error: 'IO error' }
      : undefined;
  const result = await verified(containersOf(10), odd, { concurrency: 1, idEvery: 0, numberEvery: 0 });
  expect(result).toMatchObject({ failure: { kind: 'rpc-error', message: 'IO error' }, missing: 0n, findings: [] });
  expect(isSound(result)).toBe(false);
});

test('an index that ends before the last requested number has a gap at its end', async () => {
  expect(found(await verified(containersOf(10), undefined, { last: 12n }))).toEqual(['gap 10']);
});

test.each([
  { from: 'the next number', first: 10n, findings: [] },
  { from: 'a later number', first: 11n, findings: ['gap 11'] },
  { from: 'a later number, with an end', first: 11n, last: 14n, findings: ['gap 11'], missing: 4n },
  { from: 'the next number, with an end', first: 10n, last: 14n, findings: ['gap 10'], missing: 5n },
])('an index that ends before $from: $findings', async ({ findings, missing, ...over }) => {
  const result = await verified(containersOf(10), undefined, over);
  expect(found(result)).toEqual(findings);
  expect(result).toMatchObject({ containers: 0, size: 10n, end: over.first, missing: missing ?? BigInt(findings.length) });
  for (const { detail } of result.findings) expect(detail).toMatch(/: the index has 10 containers$/);
});

test('an empty index that is verified from number 1 has a gap', async () => {
  expect(found(await verified([], undefined, { first: 1n }))).toEqual(['gap 1']);
});

test('a failure is reported together with earlier findings', async () => {
  const containers = containersOf(3000).filter(({ index }) => index !== 3n);
  const odd: Odd = ({ params }) => (params.startIndex === '2048' ? { status: 400 } : undefined);
  const result = await verified(containers, odd, { idEvery: 0, numberEvery: 0 });
  expect(result).toMatchObject({ end: 2048n, failure: { kind: 'http-status', status: 400 }, counts: { gap: 1 } });
  expect(isSound(result)).toBe(false);
});
