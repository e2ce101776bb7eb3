// What waits for a collection of garbage, and for how long, with a heap that the test fills.

import { expect, test } from 'vitest';
import { createHeapRest } from '../src/heap.ts';

/** A heap of 100, and what it holds after each wait. */
const rested = (...later: readonly number[]) => {
  let [used, waits] = [0, 0];
  const wait = async (): Promise<void> => {
    used = later[waits] ?? used;
    waits += 1;
  };
  const rest = createHeapRest({ used: () => used, limit: 100, wait });
  return async (now: number): Promise<number> => {
    used = now;
    waits = 0;
    await rest();
    return waits;
  };
};

test('a heap that has grown little is not waited for', async () => {
  const waits = rested();
  expect([await waits(30), await waits(34), await waits(31), await waits(34)]).toEqual([0, 0, 0, 0]);
});

test('one that has grown by a twentieth of its limit is waited for until half of it is collected', async () => {
  const waits = rested(40, 38, 36, 34, 32);
  expect([await waits(30), await waits(40)]).toEqual([0, 4]);
});

test('it is waited for by what it has held least, whatever was collected meanwhile', async () => {
  const waits = rested(27);
  expect([await waits(30), await waits(25), await waits(29), await waits(30)]).toEqual([0, 0, 0, 1]);
});

test('one that V8 lets grow is waited for a fifth of a second, and then when it has grown again', async () => {
  const waits = rested();
  expect([await waits(30), await waits(40), await waits(44), await waits(45)]).toEqual([0, 40, 0, 40]);
});
