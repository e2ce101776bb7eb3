import { describe, expect, test } from 'vitest';
import { containersPerSecond, type GrowthRate, growthAfter } from '../../../src/sources/indexes/growth.ts';
import type { IndexHead } from '../../../src/sources/indexes/head.ts';
import { noon } from '../../support/snapshot.ts';

const head = (index: number | bigint): IndexHead => ({
  state: 'ok',
  last: { id: '2SUG', timestamp: '2026-11-20T12:00:00Z', index: BigInt(index) },
});

/** Heads with the time of their poll, `[seconds after noon, head]`. */
const growthOf = (...seen: readonly (readonly [at: number, head: IndexHead])[]): GrowthRate =>
  seen.reduce<GrowthRate>((before, [at, one]) => growthAfter(before, one, noon + at), []);

describe('the growth rate of an index', () => {
  test.each([
    { when: 'there is no head', seen: [], rate: undefined },
    { when: 'there is one head', seen: [[0, head(7)]], rate: undefined },
    {
      when: 'it stands still',
      seen: [
        [0, head(7)],
        [5, head(7)],
      ],
      rate: { rate: 0, overSeconds: 5 },
    },
    {
      when: 'it grows',
      seen: [
        [0, head(7)],
        [5, head(17)],
      ],
      rate: { rate: 2, overSeconds: 5 },
    },
    {
      when: 'its first container arrives',
      seen: [
        [0, { state: 'empty' }],
        [4, head(0)],
      ],
      rate: { rate: 0.25, overSeconds: 4 },
    },
    {
      when: 'it becomes shorter, as another database',
      seen: [
        [0, head(900)],
        [5, head(3)],
        [10, head(8)],
      ],
      rate: { rate: 1, overSeconds: 5 },
    },
    {
      when: 'it was off in between',
      seen: [
        [0, head(0)],
        [5, { state: 'off' }],
        [10, head(9)],
      ],
      rate: undefined,
    },
    {
      when: 'our clock was set back',
      seen: [
        [0, head(0)],
        [-60, head(9)],
        [-50, head(19)],
      ],
      rate: { rate: 1, overSeconds: 10 },
    },
    {
      when: 'its numbers exceed a double',
      seen: [
        [0, head(2n ** 63n)],
        [10, head(2n ** 63n + 5n)],
      ],
      rate: { rate: 0.5, overSeconds: 10 },
    },
  ] as const)('when $when', ({ seen, rate }) => {
    expect(containersPerSecond(growthOf(...seen))).toEqual(rate);
  });

  test.each([{ every: 1 }, { every: 5 }, { every: 30 }])(
    'polled every $every s is measured over about a minute or more, from at most seven heads',
    ({ every }) => {
      const seen = Array.from({ length: 400 }, (_, at): [number, IndexHead] => [at * every, head(at * every * 3)]);
      const heads = growthOf(...seen);
      expect(heads.length).toBeLessThanOrEqual(7);
      const measured = containersPerSecond(heads);
      expect(measured?.rate).toBeCloseTo(3);
      expect(measured?.overSeconds).toBeGreaterThanOrEqual(50);
      expect(measured?.overSeconds).toBeLessThanOrEqual(Math.max(80, 6 * every));
    },
  );
});
