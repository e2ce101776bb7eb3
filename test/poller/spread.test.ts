// When targets that start together are first polled.

import { expect, test } from 'vitest';
import { spread } from '../../src/poller/poll.ts';

const options = { healthCheckFrequency: 30 };
const firstDue = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, place) => spread(options, place, count).firstDue);

test('a single target, like the first of many, is polled at once', () => {
  expect(firstDue(1)).toEqual([0]);
  expect(firstDue(1000)[0]).toBe(0);
});

test('many targets are spread evenly over their interval', () => {
  const all = firstDue(1000);
  for (const [place, due] of all.entries()) expect(due).toBeCloseTo(place * 0.03, 9);
});

test('a few targets start a tenth of a second apart', () => {
  expect(firstDue(4)).toEqual([0, 0.1, 0.2, 0.3].map((due) => expect.closeTo(due, 9)));
});
