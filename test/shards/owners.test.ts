// The owner of a name: properties of the hash, and examples that must never change.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOwners } from '../../src/shards/owners.ts';
import '../support/property-seed.ts';

const names = Array.from({ length: 10_000 }, (_, at) => `validators-${at % 7}.node-${at}`);

const ownersOf = (total: number): readonly (number | undefined)[] => {
  const { ownerOf } = createOwners();
  return names.map((name) => ownerOf(name, total));
};

describe('for 10,000 targets', () => {
  test.each([1, 2, 3, 4, 5, 10, 29])(
    'adding a shard to %i shards moves at most 1.2/(n+1) of the targets, all to the new shard',
    (total) => {
      const [before, after] = [ownersOf(total), ownersOf(total + 1)];
      const moved = after.flatMap((owner, at) => (owner === before[at] ? [] : [owner]));
      expect(moved.length).toBeLessThanOrEqual((1.2 / (total + 1)) * names.length);
      expect(moved.length).toBeGreaterThanOrEqual((0.8 / (total + 1)) * names.length);
      expect(new Set(moved)).toEqual(new Set([total]));
    },
  );

  test('no shard of ten differs by 20% or more from its share', () => {
    const counts = Array.from({ length: 10 }, (_, shard) => ownersOf(10).filter((owner) => owner === shard).length);
    expect(Math.max(...counts)).toBeLessThan(1200);
    expect(Math.min(...counts)).toBeGreaterThan(800);
  });
});

test('every name has one owner among the shards, independent of previous calls', () => {
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

test('there is no owner without shards', () => {
  expect(createOwners().ownerOf('a', 0)).toBeUndefined();
});

test('owners never change between releases, because shards of two releases run at the same time during a rollout', () => {
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

test('names that are forgotten get the same owner again', () => {
  const { ownerOf, keep } = createOwners();
  const before = names.slice(0, 100).map((name) => ownerOf(name, 7));
  keep(new Set(['validators-0.node-0']));
  expect(names.slice(0, 100).map((name) => ownerOf(name, 7))).toEqual(before);
});
