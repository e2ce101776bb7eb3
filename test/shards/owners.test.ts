// Which shard a name belongs to: by properties of the hash, and by names that must never move.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOwners } from '../../src/shards/owners.ts';
import '../support/property-seed.ts';

const names = Array.from({ length: 10_000 }, (_, at) => `validators-${at % 7}.node-${at}`);

const ownersOf = (total: number): readonly (number | undefined)[] => {
  const { ownerOf } = createOwners();
  return names.map((name) => ownerOf(name, total));
};

describe('of 10,000 targets', () => {
  test.each([1, 2, 3, 4, 5, 10, 29])(
    'from %i shards to one more at most 1.2/(n+1) move, each of them to the new one',
    (total) => {
      const [before, after] = [ownersOf(total), ownersOf(total + 1)];
      const moved = after.flatMap((owner, at) => (owner === before[at] ? [] : [owner]));
      expect(moved.length).toBeLessThanOrEqual((1.2 / (total + 1)) * names.length);
      expect(moved.length).toBeGreaterThanOrEqual((0.8 / (total + 1)) * names.length);
      expect(new Set(moved)).toEqual(new Set([total]));
    },
  );

  test('no shard of ten has a fifth more than its share', () => {
    const counts = Array.from({ length: 10 }, (_, shard) => ownersOf(10).filter((owner) => owner === shard).length);
    expect(Math.max(...counts)).toBeLessThan(1200);
    expect(Math.min(...counts)).toBeGreaterThan(800);
  });
});

test('every name has one owner among the shards, whatever was asked of it before', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }), (name, totals) => {
      const asked = createOwners();
      for (const total of totals) {
        const owner = asked.ownerOf(name, total) ?? -1;
        expect(owner).toBe(createOwners().ownerOf(name, total));
        expect(owner).toBeGreaterThanOrEqual(0);
        expect(owner).toBeLessThan(total);
      }
    }),
  );
});

test('of no shards none is the owner', () => {
  expect(createOwners().ownerOf('a', 0)).toBeUndefined();
});

test('a release moves no target: shards of two releases run beside each other while one is rolled out', () => {
  const { ownerOf } = createOwners();
  const some = ['node', 'validators.node-0', 'validators.node-1', '10.0.0.1:9650', 'é'];
  expect(some.map((name) => [1, 2, 3, 10, 100].map((total) => ownerOf(name, total)))).toMatchInlineSnapshot(`
    [
      [
        0,
        1,
        1,
        4,
        4,
      ],
      [
        0,
        0,
        0,
        0,
        73,
      ],
      [
        0,
        0,
        0,
        0,
        90,
      ],
      [
        0,
        1,
        1,
        1,
        88,
      ],
      [
        0,
        1,
        2,
        9,
        98,
      ],
    ]
  `);
});

test('names that are gone are forgotten, and come back to the same shard', () => {
  const { ownerOf, keep } = createOwners();
  const before = names.slice(0, 100).map((name) => ownerOf(name, 7));
  keep(new Set(['validators-0.node-0']));
  expect(names.slice(0, 100).map((name) => ownerOf(name, 7))).toEqual(before);
});
