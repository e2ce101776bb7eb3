// The number of reads at a start does not depend on the size of the store.

import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import { bootstrapped, kept, runningChains, testChain, testEpoch } from '../../support/node-store.ts';

/** A store that counts its reads. */
const counting = (store: Store): Store & { readonly reads: () => number } => {
  let reads = 0;
  const counted =
    <Arguments extends readonly unknown[], Result>(read: (...given: Arguments) => Result, of: (...given: Arguments) => number) =>
    (...given: Arguments): Result => {
      reads += of(...given);
      return read(...given);
    };
  return {
    ...store,
    get: counted(store.get, () => 1),
    getMany: counted(store.getMany, (keys) => keys.length),
    reads: () => reads,
  };
};

const readsOfAStart = async (history: number): Promise<number> => {
  const store = openMemoryStore();
  const chains = [testChain('P', history), testChain('X', history), testChain('C', history)];
  await (await bootstrapped(await runningChains({ chains }, kept(store)))).close();
  const counted = counting(store);
  const again = await runningChains({ chains }, kept(counted));
  await again.tick(testEpoch);
  await again.close();
  return counted.reads();
};

test('opening a store of thousands of containers reads as few entries as opening a small one', async () => {
  const few = await readsOfAStart(10);
  expect(few).toBeGreaterThan(0);
  expect(await readsOfAStart(3000)).toBe(few);
});
