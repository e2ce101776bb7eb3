// How a verification ends if something other than a container is wrong, and how many findings it keeps.

import { expect, test } from 'vitest';
import { isSound, type VerifyOptions, verify } from '../../src/walk/verify.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const verified = async (containers: ReturnType<typeof containersOf>, odd?: Odd, over: Partial<VerifyOptions> = {}) => {
  const { url } = await serveIndex({ containers, ...(odd !== undefined && { odd }) });
  return verify({ asking: askingAt(url).asking, first: 0n, concurrency: 2, idEvery: 0, numberEvery: 0, ...over });
};

const broken = { kind: 'http-status', status: 400 };

test.each([{ method: 'index.getIndex' }, { method: 'index.getContainerByIndex' }])(
  'a failing $method ends the verification: what was not cross-checked was not verified',
  async ({ method }) => {
    const odd: Odd = (asked) => (asked.method === method ? { status: 400 } : undefined);
    const result = await verified(containersOf(10), odd, { idEvery: 1, numberEvery: 1 });
    expect(result).toMatchObject({ failure: broken, end: 0n, containers: 0 });
    expect(isSound(result)).toBe(false);
  },
);

test('a suspected duplicate that cannot be checked ends the verification', async () => {
  const containers = containersOf(10);
  const [first] = containers;
  const twice = containers.map((one, at) =>
    at === 6 && first !== undefined ? { ...one, id: first.id, bytes: first.bytes } : one,
  );
  const odd: Odd = ({ method }) => (method === 'index.getContainerByIndex' ? { status: 400 } : undefined);
  expect(await verified(twice, odd)).toMatchObject({ failure: broken, end: 0n });
  expect(await verified(twice)).toMatchObject({ counts: { duplicate: 1 }, findings: [{ kind: 'duplicate', number: 6n }] });
});

test('a verification that is aborted after its last container is not sound, because the end was not checked', async () => {
  const { url } = await serveIndex({ containers: containersOf(2000) });
  const { asking, abort } = askingAt(url);
  const result = await verify({
    asking,
    first: 0n,
    concurrency: 2,
    idEvery: 0,
    numberEvery: 0,
    onProgress: ({ next }) => next === 2000n && abort(),
  });
  expect(result).toMatchObject({ end: 2000n, containers: 2000, findings: [], failure: { kind: 'network', reason: 'aborted' } });
  expect(isSound(result)).toBe(false);
});

test('the first thousand findings are kept, and all are counted', async () => {
  const containers = containersOf(1500).map((one) => ({ ...one, encoding: 'json' }));
  const { findings, counts } = await verified(containers);
  expect([findings.length, counts.bytes]).toEqual([1000, 1500]);
  expect(findings.map(({ number }) => number)).toEqual(containers.slice(0, 1000).map(({ index }) => index));
});

test.each([
  { what: 'id', over: { id: containersOf(1, 60)[0]?.id } },
  { what: 'bytes', over: { bytes: containersOf(1, 60)[0]?.bytes } },
])('a newest container with another $what than its number has is a finding; another timestamp is not', async ({ over }) => {
  const containers = containersOf(10);
  const wire = { ...containers[9], index: '9' };
  const giving =
    (newest: object): Odd =>
    ({ method }) =>
      method === 'index.getLastAccepted' ? { result: newest } : undefined;
  expect(await verified(containers, giving({ ...wire, ...over }))).toMatchObject({ findings: [{ kind: 'last', number: 9n }] });
  expect(isSound(await verified(containers, giving({ ...wire, timestamp: '2027-02-01T00:00:00Z' })))).toBe(true);
});

test('gaps have the number of missing containers, in total', async () => {
  const containers = containersOf(50).filter(({ index }) => index !== 3n && (index < 10n || index > 14n));
  expect(await verified(containers)).toMatchObject({ missing: 6n, counts: { gap: 2 }, containers: 44, end: 50n });
});
