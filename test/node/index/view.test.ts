// The index as clients see it during a fault.

import { expect, it } from 'vitest';
import { type ContainerIndex, openIndex } from '../../../src/node/index/container-index.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import { hashedContainer } from '../../../src/node/index/stored-container.ts';
import { indexViewOf } from '../../../src/node/index/view.ts';

const name = 'P/block';

const accept = async (store: Store, index: ContainerIndex, count: number): Promise<void> => {
  const first = (index.last() ?? -1) + 1;
  const containers = Array.from({ length: count }, (_, at) => hashedContainer(Buffer.from(`container ${first + at}`)));
  const { puts, written } = index.append(containers, '2026-01-02T03:04:05Z');
  await store.write(puts);
  written();
};

it('a stalled index shows only what it held when it stalled, and everything after the fault', async () => {
  const store = openMemoryStore();
  const index = await openIndex(store, name);
  const view = indexViewOf(index);
  const shown = async (first: number, count: number): Promise<readonly number[]> =>
    (await view.range(first, count)).map(({ number }) => number);
  await accept(store, index, 5);
  view.setFaults(true, false);
  await accept(store, index, 5);
  expect([view.last(), await shown(3, 5), await shown(5, 3), await shown(8, 1)]).toEqual([4, [3, 4], [], []]);
  view.setFaults(false, false);
  expect([view.last(), await shown(3, 5)]).toEqual([9, [3, 4, 5, 6, 7]]);
});

it('a lossy index loses only containers accepted during that fault, not those hidden by a stall', async () => {
  const store = openMemoryStore();
  const index = await openIndex(store, name);
  const view = indexViewOf(index);
  await accept(store, index, 2);
  view.setFaults(true, false);
  await accept(store, index, 2);
  view.setFaults(true, true);
  await accept(store, index, 2);
  view.setFaults(false, true);
  expect((await view.range(0, 6)).map(({ number }) => number)).toEqual([0, 1, 2, 3, 5]);
});

it('an index that has lost all containers is empty', async () => {
  const store = openMemoryStore();
  const index = await openIndex(store, name);
  const view = indexViewOf(index);
  view.setFaults(false, true);
  await accept(store, index, 1);
  expect(view.last()).toBeUndefined();
});
