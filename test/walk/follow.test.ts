// Following an index: up to the requested number, and never backwards.

import { expect, test } from 'vitest';
import { walk } from '../../src/walk/walk.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const settings = { first: 0n, concurrency: 2, strict: true, followEvery: 0.001 } as const;

test('following ends at the last requested number once it has arrived', async () => {
  const all = containersOf(20);
  const containers = all.slice(0, 5);
  const { url } = await serveIndex({ containers });
  const { asking } = askingAt(url);
  const numbers: bigint[] = [];
  for await (const step of walk({ ...settings, asking, last: 11n })) {
    if (step.kind === 'containers') numbers.push(...step.containers.map(({ index }) => index));
    // Four more after each look.
    if (step.kind === 'head') containers.push(...all.slice(containers.length, containers.length + 4));
  }
  expect(numbers).toEqual(Array.from({ length: 12 }, (_, at) => BigInt(at)));
});

test('an older head, as from another node behind the address, is waited out', async () => {
  const containers = containersOf(10);
  let heads = 0;
  const wire = (number: number) => ({ result: { ...containers[number], index: `${number}` } });
  const odd: Odd = ({ method }) => {
    if (method !== 'index.getLastAccepted') return undefined;
    heads += 1;
    return wire([4, 2, 4, 9][heads - 1] ?? 9);
  };
  const { url } = await serveIndex({ containers, odd });
  const { asking } = askingAt(url);
  const numbers: bigint[] = [];
  for await (const step of walk({ ...settings, asking, last: 9n }))
    if (step.kind === 'containers') numbers.push(...step.containers.map(({ index }) => index));
  expect(numbers).toEqual(containers.map(({ index }) => index));
  expect(heads).toBe(4);
});
