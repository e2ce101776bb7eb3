// When targets that begin together are first polled.

import { expect, test } from 'vitest';
import { spread } from '../../src/poller/poll.ts';

const options = { healthCheckFrequency: 30 };
const firstDue = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, place) => spread(options, place, count).firstDue);

test('one alone is polled at once, as is the first of many', () => {
  expect(firstDue(1)).toEqual([0]);
  expect(firstDue(1000)[0]).toBe(0);
});

test('many are spread evenly over their interval, so that the first one costs no more than any other', () => {
  const all = firstDue(1000);
  for (const [place, due] of all.entries()) expect(due).toBeCloseTo(place * 0.03, 9);
});

test('few wait for a tenth of a second each', () => {
  expect(firstDue(4)).toEqual([0, 0.1, 0.2, 0.3].map((due) => expect.closeTo(due, 9)));
});
