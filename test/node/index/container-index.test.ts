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
): Promise<readonly string[]> => {
  const { puts, written } = index.append(containers, timestamp);
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
    const first = index.append(some(0, 1), timestamp);
    const second = index.append(some(2), timestamp);
    expect(index.last()).toBeUndefined();
    await store.write(first.puts);
    first.written();
    expect(index.last()).toBe(1);
    await store.write(second.puts);
    second.written();
    expect(index.last()).toBe(2);
    expect(await numbersOf(index, some(0, 1, 2))).toEqual([0, 1, 2]);
  });

  it('gets the number of a container whose write failed', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    await write(store, index, row(0, 3));
    index.append(row(100, 70), timestamp);
    await index.reload();
    await write(store, index, row(3, 2));
    expect([index.last(), ...(await numbersOf(index, row(0, 5)))]).toEqual([4, 0, 1, 2, 3, 4]);
    expect(await index.numberOfId(containerOf(100).id)).toBeUndefined();
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
