// Containers by their number: alone, in runs, and on the way from the one to the other.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packRun, runLength, unpackRun } from '../../../src/node/index/by-number.ts';
import { type ContainerIndex, openIndex } from '../../../src/node/index/container-index.ts';
import { endKey, idKey, numbersTable, packNumber, runsTable } from '../../../src/node/index/index-keys.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { numberedKey, type Store } from '../../../src/node/index/store.ts';
import {
  type AcceptedContainer,
  hashedContainer,
  numberOf,
  packContainer,
  unpackContainer,
} from '../../../src/node/index/stored-container.ts';

const name = 'C/block';
const timestamp = '2026-01-02T03:04:05.678901Z';

const containerOf = (number: number): AcceptedContainer => hashedContainer(Buffer.from(`container ${number}`));
const rowOf = (first: number, count: number): readonly AcceptedContainer[] =>
  Array.from({ length: count }, (_, at) => containerOf(first + at));

const append = async (store: Store, index: ContainerIndex, count: number): Promise<void> => {
  const first = (index.last() ?? -1) + 1;
  const { changes, written } = await index.append(rowOf(first, count), timestamp, false);
  await store.write(changes);
  written();
};

const numbersOf = async (index: ContainerIndex, first: number, count: number): Promise<readonly number[]> =>
  (await index.range(first, count)).map(numberOf);

const upTo = (first: number, end: number): readonly number[] => Array.from({ length: end - first }, (_, at) => first + at);

const aloneIn = async (store: Store, count: number): Promise<number> =>
  (await store.has(upTo(0, count).map((number) => numberedKey(numbersTable(name), number)))).filter(Boolean).length;
const runsIn = async (store: Store, count: number): Promise<number> => (await store.numbered(runsTable(name), 0, count)).length;

/** Each alone, as before there were runs. */
const writeAlone = (store: Store, count: number): Promise<void> =>
  store.write([
    ...rowOf(0, count).flatMap((container, number) => [
      { key: numberedKey(numbersTable(name), number), value: packContainer(container, number, timestamp) },
      { key: idKey(name, container.id), value: packNumber(number) },
    ]),
    { key: endKey(name), value: packNumber(count) },
  ]);

describe('an index', () => {
  it('keeps every 64 containers in one value and the rest alone, however they came', async () => {
    const batches = fc.array(fc.record({ count: fc.integer({ min: 0, max: 150 }), restarts: fc.boolean() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, async (appended) => {
        const store = openMemoryStore();
        let index = await openIndex(store, name);
        let count = 0;
        for (const batch of appended) {
          if (batch.restarts) index = await openIndex(store, name);
          await append(store, index, batch.count);
          count += batch.count;
        }
        expect(await runsIn(store, count)).toBe(Math.floor(count / runLength));
        expect(await aloneIn(store, count)).toBe(count % runLength);
        expect(await numbersOf(index, 0, count)).toEqual(upTo(0, count));
        for (const number of [0, count - 1, Math.floor(count / 2)]) {
          const packed = await index.byNumber(number);
          expect(packed && unpackContainer(packed)?.id).toBe(number < 0 || count === 0 ? undefined : containerOf(number).id);
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    { first: 0, count: runLength },
    { first: runLength, count: runLength },
    { first: runLength - 1, count: 2 * runLength },
    { first: 1, count: 62 },
    { first: 63, count: 2 },
    { first: 60, count: 10 },
    { first: 0, count: 200 },
    { first: 127, count: 73 },
    { first: 190, count: 5 },
    { first: 192, count: 8 },
    { first: 199, count: 1 },
    { first: 5, count: 0 },
  ])('gives $count from $first on', async ({ first, count }) => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    await append(store, index, 200);
    expect(await numbersOf(index, first, count)).toEqual(upTo(first, first + count));
  });

  it('has every container while one after the other moves into a run', async () => {
    const store = openMemoryStore();
    let atEveryRead = async (): Promise<void> => undefined;
    const slow: Store = {
      ...store,
      get: async (key) => {
        const found = await store.get(key);
        await atEveryRead();
        return found;
      },
      numbered: async (table, first, count) => {
        const found = await store.numbered(table, first, count);
        await atEveryRead();
        return found;
      },
    };
    const index = await openIndex(slow, name);
    await append(store, index, runLength - 1);
    // As soon as something was read, the run is completed.
    let completed = 0;
    atEveryRead = async () => {
      atEveryRead = async () => undefined;
      completed += 1;
      await append(store, index, 1);
    };
    expect(await numbersOf(index, 0, runLength - 1)).toEqual(upTo(0, runLength - 1));
    expect([completed, await runsIn(store, 2)]).toEqual([1, 1]);

    await append(store, index, runLength - 1);
    atEveryRead = async () => {
      atEveryRead = async () => undefined;
      completed += 1;
      await append(store, index, 1);
    };
    const missing = numberedKey(numbersTable(name), runLength + 3);
    expect(await store.has([missing])).toEqual([true]);
    const packed = await index.byNumber(runLength + 3);
    expect(packed && numberOf(packed)).toBe(runLength + 3);
    expect([completed, await store.has([missing])]).toEqual([2, [false]]);
  });

  it('has every container of a run that is written, and that it does not yet count itself', async () => {
    const store = openMemoryStore();
    const index = await openIndex(store, name);
    await append(store, index, runLength - 1);
    const { changes, written } = await index.append(rowOf(runLength - 1, 2), timestamp, false);
    await store.write(changes);
    expect(index.last()).toBe(runLength - 2);
    for (const number of [0, runLength - 2]) {
      const packed = await index.byNumber(number);
      expect(packed && numberOf(packed)).toBe(number);
    }
    expect(await numbersOf(index, 0, runLength - 1)).toEqual(upTo(0, runLength - 1));
    written();
    expect(index.last()).toBe(runLength);
  });

  it.each([
    { first: 0, count: 100 },
    { first: 28, count: 72 },
    { first: 60, count: 40 },
  ])('gives $count from $first on, of which some never were in a run and others are put into one meanwhile', async (asked) => {
    const store = openMemoryStore();
    await writeAlone(store, 100);
    for (const reads of [1, 2]) {
      let left = Number.POSITIVE_INFINITY;
      const slow: Store = {
        ...store,
        numbered: async (table, first, count) => {
          const found = await store.numbered(table, first, count);
          left -= 1;
          if (left === 0) await append(store, index, runLength);
          return found;
        },
      };
      const index = await openIndex(slow, name);
      left = reads;
      expect(await numbersOf(index, asked.first, asked.count)).toEqual(upTo(asked.first, asked.first + asked.count));
    }
  });

  it('reads a range as runs: no value for each of its containers', async () => {
    const store = openMemoryStore();
    let values = 0;
    const counting: Store = {
      ...store,
      numbered: (table, first, count) => {
        values += Math.max(0, count);
        return store.numbered(table, first, count);
      },
    };
    const index = await openIndex(counting, name);
    await append(store, index, 5 * runLength + 10);
    const costs: number[] = [];
    for (const [first, count] of [
      [0, runLength],
      [0, 5 * runLength],
      [3, 2 * runLength],
      [4 * runLength, runLength + 10],
    ] as const) {
      values = 0;
      expect(await numbersOf(index, first, count)).toEqual(upTo(first, first + count));
      costs.push(values);
    }
    expect(costs).toEqual([1, 5, 3, 1 + 10 + 1]);
  });

  it('reads what was written before there were runs, and goes on in runs', async () => {
    const store = openMemoryStore();
    await writeAlone(store, 100);
    expect([await runsIn(store, 5), await aloneIn(store, 100)]).toEqual([0, 100]);
    const index = await openIndex(store, name);
    await append(store, index, 100);
    expect(await numbersOf(index, 0, 200)).toEqual(upTo(0, 200));
    expect(await numbersOf(index, 30, 60)).toEqual(upTo(30, 90));
    expect((await store.numbered(runsTable(name), 0, 10)).map((run) => unpackRun(run).map(numberOf)[0])).toEqual([64, 128]);
    for (const number of [0, 63, 64, 99, 100, 199]) {
      const packed = await index.byNumber(number);
      expect(packed && numberOf(packed)).toBe(number);
    }
  });
});

describe('a run', () => {
  const packed = [Buffer.from('one'), Buffer.from(''), Buffer.from('three')];

  it('gives back what was packed', () => {
    const found = unpackRun(packRun(packed)).map(({ memory, start, end }) => memory.toString('latin1', start, end));
    expect(found).toEqual(['one', '', 'three']);
  });

  it.each([
    { name: 'nothing', run: undefined },
    { name: 'an empty value', run: Buffer.alloc(0) },
    { name: 'one that was cut off', run: packRun(packed).subarray(0, -1) },
    { name: 'one with something behind it', run: Buffer.concat([packRun(packed), Buffer.from('x')]) },
    { name: 'a count without ends', run: Buffer.from([0, 0, 0, 9]) },
  ])('is not read out of $name', ({ run }) => {
    expect(unpackRun(run)).toEqual([]);
  });
});

describe('a container', () => {
  it.each([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1])(
    'of number %d is kept under a key of 16 digits, and gives back what was packed',
    (number) => {
      const container = containerOf(number);
      const memory = packContainer(container, number, timestamp);
      expect(unpackContainer({ memory, start: 0, end: memory.length })).toEqual({ ...container, number, timestamp });
      expect(numberedKey(numbersTable(name), number)).toMatch(/^n:C\/block:\d{16}$/);
    },
  );

  it('is not read out of anything shorter', () => {
    const memory = packContainer(containerOf(1), 1, timestamp);
    const without = memory.length - containerOf(1).bytes.length - 1;
    for (let length = 0; length <= without; length += 1) {
      const cut = memory.subarray(0, length);
      expect(unpackContainer({ memory: cut, start: 0, end: length })).toBeUndefined();
    }
  });
});
