// What waits for a collection of garbage, and for how long, with a heap that the test fills.

import { expect, test } from 'vitest';
import { createHeapRest } from '../src/heap.ts';

/** A heap of 100, and what it holds after each wait. */
const rested = (...later: readonly number[]) => {
  let [used, waits, now] = [0, 0, 0];
  const wait = async (ms: number): Promise<void> => {
    now += ms;
    used = later[waits] ?? used;
    waits += 1;
  };
  const rest = createHeapRest({ used: () => used, limit: 100, now: () => now, wait });
  /** Milliseconds pass, and it holds so much. */
  return async (holds: number, ms = 0): Promise<number> => {
    used = holds;
    waits = 0;
    now += ms;
    await rest();
    return waits;
  };
};

test('a heap that has grown little is not waited for', async () => {
  const waits = rested();
  expect([await waits(30), await waits(39), await waits(31), await waits(39)]).toEqual([0, 0, 0, 0]);
});

test('one that has grown by a tenth of its limit is waited for until half of it is collected', async () => {
  const waits = rested(40, 38, 36, 34, 32);
  expect([await waits(30), await waits(40)]).toEqual([0, 4]);
});

test('it is waited for by what it has held least, whatever was collected meanwhile', async () => {
  const waits = rested(27);
  expect([await waits(30), await waits(25), await waits(34), await waits(35)]).toEqual([0, 0, 0, 1]);
});

test('one that V8 lets grow is waited for a tenth of a second, and then not for two, and when it has grown again', async () => {
  const waits = rested();
  expect([await waits(30), await waits(40), await waits(50, 1999), await waits(49, 1), await waits(50)]).toEqual([
    0, 20, 0, 0, 20,
  ]);
});
