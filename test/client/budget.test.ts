// Answers of a process that are large are received a few at a time, and of the largest one.

import { expect, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';

const kibibyte = 1024;

/** Begins so many answers of the size; how many may be held at once, and by whom the rest is followed. */
const begun = (count: number, bytes: number, restMs = 0) => {
  const budget = createBudget(restMs);
  const started: number[] = [];
  const shares = Array.from({ length: count }, (_, at) => {
    const share = budget.share();
    share.take(bytes, () => started.push(at));
    return share;
  });
  return { started, shares };
};

test.each([
  { size: 128, atOnce: 100 },
  { size: 129, atOnce: 8 },
  { size: 512, atOnce: 8 },
  { size: 513, atOnce: 1 },
])('of answers of $size KiB $atOnce are held at once, and the others follow in their order', ({ size, atOnce }) => {
  const { started, shares } = begun(100, size * kibibyte);
  const places = Array.from({ length: 100 }, (_, at) => at);
  expect(started).toEqual(places.slice(0, atOnce));
  for (const share of shares) share.release();
  expect(started).toEqual(places);
});

test('who leaves while it waits, leaves nothing behind', () => {
  const { started, shares } = begun(3, 2049 * kibibyte);
  shares[1]?.release();
  shares[0]?.release();
  expect(started).toEqual([0, 2]);
});

test('between two of the largest the process rests, and not where the first never began', async () => {
  const { started, shares } = begun(3, 2049 * kibibyte, 20);
  shares[0]?.release();
  expect(started).toEqual([0]);
  shares[1]?.release();
  expect(started).toEqual([0]);
  await expect.poll(() => started).toEqual([0, 2]);
});

test('between smaller ones it does not', () => {
  const { started, shares } = begun(3, 2048 * kibibyte, 60_000);
  shares[0]?.release();
  expect(started).toEqual([0, 1]);
});

test('an answer that grows waits again at the next step', () => {
  const budget = createBudget(0);
  const [one, other] = [budget.share(), budget.share()];
  one.take(2100 * kibibyte, () => undefined);
  expect({ small: other.holds(100 * kibibyte), middle: other.holds(200 * kibibyte) }).toEqual({ small: true, middle: false });
  let resumed = 0;
  const resume = (): void => {
    resumed += 1;
  };
  other.take(200 * kibibyte, resume);
  expect({ resumed, middle: other.holds(200 * kibibyte), large: other.holds(2100 * kibibyte) }).toEqual({
    resumed: 1,
    middle: true,
    large: false,
  });
  other.take(2100 * kibibyte, resume);
  expect(resumed).toBe(1);
  one.release();
  expect({ resumed, large: other.holds(2100 * kibibyte) }).toEqual({ resumed: 2, large: true });
});
