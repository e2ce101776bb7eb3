// When and how long a caller waits for garbage collection, with a heap that the test sets.

import { expect, test } from 'vitest';
import { createHeapRest } from '../src/heap.ts';

/** A heap with a limit of 100. `later`: the used heap after each wait. Returns the number of waits. */
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

test('does not wait for a heap that has grown by less than 5% of its limit', async () => {
  const waits = rested();
  expect([await waits(30), await waits(34), await waits(31), await waits(34)]).toEqual([0, 0, 0, 0]);
});

test('waits for a heap that has grown by 5% of its limit until half of the growth is collected', async () => {
  const waits = rested(40, 38, 36, 34, 32);
  expect([await waits(30), await waits(40)]).toEqual([0, 4]);
});

test('measures the growth from the smallest heap so far', async () => {
  const waits = rested(27);
  expect([await waits(30), await waits(25), await waits(29), await waits(30)]).toEqual([0, 0, 0, 1]);
});

test('waits at most 40 times for a heap that is not collected, and again only after more growth', async () => {
  const waits = rested();
  expect([await waits(30), await waits(40), await waits(44), await waits(45)]).toEqual([0, 40, 0, 40]);
});
