// Subnets of a node as tag sets: how they are named, which are configured already, and when one is removed.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../../src/protocol/id.ts';
import { dnsLabel } from '../../../src/protocol/scalars.ts';
import { followPresence, type KnownSubnet, keptAbsent, maxSubnets, withPlaced } from '../../../src/sources/subnets/known.ts';
import type { CheckSubnet } from '../../../src/sources/subnets/placement.ts';
import { foundTagSets, withSubnets } from '../../../src/sources/subnets/tag-sets.ts';
import { targetOptions } from '../../support/snapshot.ts';

const [first, second] = [
  '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
  'WuTqUTLUQFSir4qiCTCYBnG5tg7TaTu3yXBqzxZXjV2GruveQ',
];

const namesOf = (placed: readonly CheckSubnet[], known: readonly KnownSubnet[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(withPlaced(known, placed).map(({ id, name }) => [id, name]));

describe('the name of a tag set', () => {
  test.each([
    { as: 'is primary for the Primary Network', placed: { check: 'P', subnetId: primaryNetworkId }, name: 'primary' },
    { as: 'is the alias of the chain', placed: { check: 'dfk', alias: 'dfk' }, name: 'dfk' },
    { as: 'is the alias as a DNS label', placed: { check: 'My Chain!', alias: 'My Chain!' }, name: 'my-chain' },
    {
      as: 'is the chain name on the P-Chain with a part of the id',
      placed: { check: 'id', chainName: 'lab chain' },
      name: 'lab-chain-2brcr6',
    },
    { as: 'is the subnet id for a chain without a name', placed: { check: 'id' }, name: first },
    { as: 'is the subnet id if no character of the name remains', placed: { check: 'id', chainName: '链' }, name: first },
    { as: 'is never that of the whole node', placed: { check: 'all', alias: 'all' }, name: 'all-2brcr6' },
    { as: 'is never that of the Primary Network', placed: { check: 'primary', alias: 'primary' }, name: 'primary-2brcr6' },
  ])('$as: $name', ({ placed, name }) => {
    expect(Object.values(namesOf([{ subnetId: first, ...placed }]))).toEqual([name]);
  });

  test('is unique when two chains share a name', () => {
    const placed = [first, second].map((subnetId) => ({ check: `of ${subnetId}`, subnetId, alias: 'chain' }));
    const names = { [first]: 'chain', [second]: 'chain-wutqut' };
    expect(namesOf(placed)).toEqual(names);
    expect(namesOf(placed.toReversed())).toEqual(names);
  });

  test('does not change when more is found later', () => {
    const known = withPlaced([], [{ check: 'one', subnetId: first, chainName: 'chain' }]);
    const after = withPlaced(known, [
      { check: 'a', subnetId: first, alias: 'a' },
      { check: 'P', subnetId: primaryNetworkId },
    ]);
    expect(after).toEqual([
      { id: primaryNetworkId, name: 'primary', checks: ['P'] },
      { id: first, name: 'chain-2brcr6', checks: ['one', 'a'] },
    ]);
  });

  test.each(['all', 'auto', 'primary'])('cannot be %s as a subnet id from the P-Chain: that subnet is left out', (subnetId) => {
    const placed = [
      { check: 'id', subnetId },
      { check: 'P', subnetId: primaryNetworkId },
    ];
    expect(namesOf(placed)).toEqual({ [primaryNetworkId]: 'primary' });
  });

  test('cannot be a subnet id that is the name of another subnet', () => {
    const placed = [
      { check: 'id', subnetId: 'chain' },
      { check: 'other', subnetId: 'a1', alias: 'chain' },
    ];
    expect(namesOf(placed)).toEqual({ a1: 'chain' });
  });

  test('is unique, and a DNS label or the id, whatever chains are called', () => {
    const placed = fc.record({
      check: fc.string({ minLength: 1 }),
      subnetId: fc.constantFrom('all', 'x', 'A1b2C3d4', 'a1b2c3d5', 'A1B2c3D6', 'zzz', primaryNetworkId),
      alias: fc.option(fc.string({ maxLength: 80 }), { nil: '' }),
      chainName: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 12 }), (all) => {
        const names = namesOf(all);
        expect(new Set(Object.values(names)).size).toBe(Object.keys(names).length);
        for (const [id, name] of Object.entries(names)) expect(name === id || dnsLabel.safeParse(name).success).toBe(true);
      }),
    );
  });
});

test('subnets beyond the maximum per node are left out', () => {
  const placed = Array.from({ length: maxSubnets + 5 }, (_, at) => ({ check: `c${at}`, subnetId: `s${at}` }));
  expect(withPlaced([], placed)).toHaveLength(maxSubnets);
});

describe('found tag sets next to configured ones', () => {
  const known = [
    { id: first, name: 'one', checks: [] },
    { id: second, name: 'two', checks: [] },
  ];
  test.each([
    { where: 'nothing is configured', written: [], found: { one: first, two: second } },
    { where: 'the subnet is configured under another name', written: [{ name: 'mine', tags: [first] }], found: { two: second } },
    {
      where: 'the name is configured for another tag',
      written: [{ name: 'one', tags: ['x'] }],
      found: { [first]: first, two: second },
    },
    {
      where: 'the subnet is one of several tags',
      written: [{ name: 'l1s', tags: [first, second] }],
      found: { one: first, two: second },
    },
  ])('if $where', ({ written, found }) => {
    expect(Object.fromEntries(foundTagSets(written, known).map(({ name, tags }) => [name, tags[0]]))).toEqual(found);
  });

  test('leave out a subnet whose id is the name of a configured tag set', () => {
    const written = [{ name: 'mine', tags: ['x'] }];
    const given = { name: 'mine', id: 'mine', checks: [] };
    const other = { name: 'other', id: 'given', checks: [] };
    expect(foundTagSets(written, [given, other])).toEqual([{ name: 'other', tags: ['given'] }]);
  });

  test('are not added without auto', () => {
    const options = targetOptions();
    expect(withSubnets(options, known)).toBe(options);
  });

  test('leave options unchanged that already contain them', () => {
    const options = withSubnets(targetOptions({ writtenTagSets: [{ name: 'all', tags: [] }] }), known);
    expect(options.tagSets.map(({ name }) => name)).toEqual(['all', 'one', 'two']);
    expect(withSubnets(options, known)).toBe(options);
  });
});

describe('a subnet whose chains are not in the report', () => {
  const known = [{ id: first, name: 'one', checks: ['chain'] }];
  const without = { checks: new Set(['P']), isReady: true, unlisted: [], at: 1000 };
  const absent = followPresence(known, without);

  test('is kept, with the time since when', () => {
    expect(absent).toEqual([{ ...known[0], absentSince: 1000 }]);
    expect(followPresence(absent, { ...without, at: 1000 + keptAbsent - 1 })).toEqual(absent);
  });

  test.each([
    { when: 'the node was ready for a day without it', presence: { at: 1000 + keptAbsent } },
    { when: 'the P-Chain does not list it', presence: { unlisted: [first] } },
  ])('is removed when $when', ({ presence }) => {
    expect(followPresence(absent, { ...without, ...presence })).toEqual([]);
  });

  test.each([
    { when: 'the node is not ready', presence: { isReady: false } },
    { when: 'there is no report', presence: { checks: undefined } },
    { when: 'its check is back', presence: { checks: new Set(['chain']) } },
  ])('is kept when $when, even if long absent and unlisted', ({ presence }) => {
    expect(followPresence(absent, { ...without, at: 1000 + 2 * keptAbsent, unlisted: [first], ...presence })).toEqual(known);
  });
});
