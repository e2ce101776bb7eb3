// What an index writes, and when it shows it.

import { describe, expect, it } from 'vitest';
import { type ContainerIndex, openIndex } from '../../../src/node/index/container-index.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import {
  type AcceptedContainer,
  containerKey,
  endKey,
  hashedContainer,
  idKey,
} from '../../../src/node/index/stored-container.ts';
import { withChecksum } from '../../../src/protocol/id.ts';

const name = 'X/tx';
const timestamp = '2026-01-02T03:04:05.678901Z';

const containerOf = (number: number): AcceptedContainer => hashedContainer(Buffer.from(`container ${number}`));
const some = (...numbers: readonly number[]): readonly AcceptedContainer[] => numbers.map(containerOf);
const row = (first: number, count: number): readonly AcceptedContainer[] =>
  Array.from({ length: count }, (_, at) => containerOf(first + at));

const write = async (
  store: Store,
  index: ContainerIndex,
  containers: readonly AcceptedContainer[],
  mayBeKnown = false,
): Promise<readonly string[]> => {
  const { puts, written } = await index.append(containers, timestamp, mayBeKnown);
  await store.write(puts);
  written();
  return puts.map(({ key }) => key);
};

const numbersOf = (index: ContainerIndex, containers: readonly AcceptedContainer[]): Promise<readonly (number | undefined)[]> =>
  Promise.all(containers.map(({ id }) => index.numberOfId(id)));

describe('a write', () => {
  it('has the id and the container of each new container, and the end', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    const keysOf = (number: number): readonly string[] => [idKey(name, containerOf(number).id), containerKey(name, number)];
    expect((await write(store, index, some(0, 1))).toSorted()).toEqual([...keysOf(0), ...keysOf(1), endKey(name)].toSorted());
    expect((await write(store, index, some(2))).toSorted()).toEqual([...keysOf(2), endKey(name)].toSorted());
    expect(await write(store, index, [])).toEqual([]);
  });
});

describe('an accepted container', () => {
  it('is shown once it is written, not while it waits to be written', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    const first = await index.append(some(0, 1), timestamp, false);
    const second = await index.append(some(2), timestamp, false);
    expect(index.last()).toBeUndefined();
    await store.write(first.puts);
    first.written();
    expect(index.last()).toBe(1);
    await store.write(second.puts);
    second.written();
    expect(index.last()).toBe(2);
    expect(await numbersOf(index, some(0, 1, 2))).toEqual([0, 1, 2]);
  });

  it('keeps its number if it is in the index already and the caller says it may be', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    await write(store, index, some(0, 1));
    expect(await write(store, index, some(1), true)).toEqual([]);
    await write(store, index, some(0, 2, 1), true);
    expect(await numbersOf(index, some(0, 1, 2))).toEqual([0, 1, 2]);
    expect(index.last()).toBe(2);
  });

  it.each([
    { when: 'a restart', again: async (store: Store) => openIndex(store, name) },
    {
      when: 'a write that was reported as failed but succeeded',
      again: async (_: Store, index: ContainerIndex) => {
        await index.reload();
        return index;
      },
    },
  ])('keeps its number if it is accepted again right after $when', async ({ again }) => {
    const store = openMemoryStore();
    const before = await openIndex(store, name);
    await write(store, before, row(0, 3));
    // The index is not told that this one was written.
    await store.write((await before.append(row(3, 2), timestamp, false)).puts);
    const after = await again(store, before);
    expect(await write(store, after, row(3, 2))).toEqual([]);
    await write(store, after, row(5, 1));
    expect([after.last(), ...(await numbersOf(after, row(0, 6)))]).toEqual([5, 0, 1, 2, 3, 4, 5]);
  });

  it('gets the number of a container whose write failed', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    await write(store, index, row(0, 3));
    await index.append(row(100, 70), timestamp, false);
    await index.reload();
    await write(store, index, row(3, 2));
    expect([index.last(), ...(await numbersOf(index, row(0, 5)))]).toEqual([4, 0, 1, 2, 3, 4]);
    expect(await index.numberOfId(containerOf(100).id)).toBeUndefined();
  });

  it('is looked up in the index only after a start or if it may be known: bootstrapping reads nothing', async () => {
    const store = openMemoryStore();
    let looks = 0;
    const counting: Store = {
      ...store,
      has: (keys) => {
        looks += 1;
        return store.has(keys);
      },
    };
    const index = await openIndex(counting, name);
    for (let batch = 0; batch < 5; batch += 1) await write(counting, index, row(10 * batch, 10));
    expect(looks).toBe(1);
    await write(counting, index, row(50, 1), true);
    expect(looks).toBe(2);
  });
});

describe('a range', () => {
  it('has numbers, ids, timestamps and bytes as accepted, for any bytes', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    const odd = ['', '\n', 'a b\nc d\n'].map((text) => hashedContainer(Buffer.from(text)));
    await write(store, index, odd);
    expect(await index.range(0, 3)).toEqual(
      odd.map(({ id, bytes }, number) => ({ id, number, timestamp, checked: withChecksum(bytes) })),
    );
  });

  it('leaves out missing containers, in the middle and after the end', async () => {
    const store = openMemoryStore();
    const missing = containerKey(name, 9);
    const index = await openIndex(
      {
        ...store,
        getMany: async (keys) => (await store.getMany(keys)).map((value, at) => (keys[at] === missing ? undefined : value)),
      },
      name,
    );
    await write(store, index, row(0, 12));
    const found = (await index.range(8, 10)).map(({ number, id }) => [number, id]);
    expect(found).toEqual([8, 10, 11].map((number) => [number, containerOf(number).id]));
    expect(await index.range(3, 0)).toEqual([]);
  });
});
