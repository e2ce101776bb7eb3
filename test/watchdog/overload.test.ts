// The steps between overload levels: each takes its time, one after the other, and values between two limits change nothing.

import { describe, expect, test } from 'vitest';
import { followOverload, type Overload, type OverloadLevel } from '../../src/watchdog/overload.ts';

const limits = { levels: [10, 20, 30], release: 0.5 };

/** The level after each reading, one second apart by default. */
const levels = (
  values: readonly number[],
  { from = 0, apart = 1, pressed = false }: { from?: OverloadLevel; apart?: number; pressed?: boolean } = {},
): readonly OverloadLevel[] => {
  let overload: Overload = { level: from };
  return values.map((value, second) => {
    overload = followOverload(overload, value, second * apart, limits, pressed);
    return overload.level;
  });
};

const times = (count: number, value: number): readonly number[] => Array.from({ length: count }, () => value);

describe('a level begins', () => {
  test.each([
    { title: 'after 3 s of readings at its limit', values: times(8, 10), last: [0, 0, 0, 1, 1, 1, 1, 1] },
    { title: 'one after the other, however high the readings', values: times(11, 99), last: [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3] },
    { title: 'not below its limit', values: times(8, 9.9), last: times(8, 0) },
    { title: 'not if one reading in between is lower', values: [10, 10, 10, 9, 10, 10, 10, 9], last: times(8, 0) },
    { title: 'not by single readings', values: [99, 0, 99, 0, 99, 0], last: times(6, 0) },
    { title: 'not above the third', values: times(3, 99), from: 3 as const, last: times(3, 3) },
  ])('$title', ({ values, last, ...given }) => {
    expect(levels(values, given)).toEqual(last);
  });

  test('at the next reading if one stall is longer than that', () => {
    expect(levels(times(5, 99), { apart: 5 })).toEqual([0, 1, 2, 3, 3]);
  });
});

describe('a level ends', () => {
  test.each([
    {
      title: 'after 10 s below its release, one after the other',
      from: 2 as const,
      values: times(21, 0),
      last: [times(10, 2), times(10, 1), [0]],
    },
    { title: 'not between release and limit', from: 1 as const, values: times(20, 5), last: [times(20, 1)] },
    {
      title: 'later, if one reading in between was higher',
      from: 1 as const,
      values: [...times(10, 0), 5, ...times(11, 0)],
      last: [times(21, 1), [0]],
    },
    {
      title: 'and then the lower one by its own release',
      from: 2 as const,
      values: times(25, 9),
      last: [times(10, 2), times(15, 1)],
    },
  ])('$title', ({ from, values, last }) => {
    expect(levels(values, { from })).toEqual(last.flat());
  });

  test('not while many requests are refused, except for the highest level', () => {
    expect(levels(times(30, 0), { from: 2, pressed: true })).toEqual(times(30, 2));
    expect(levels(times(30, 0), { from: 3, pressed: true })).toEqual([...times(10, 3), ...times(20, 2)]);
  });
});
