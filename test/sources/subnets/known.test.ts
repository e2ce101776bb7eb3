// The subnets of a node as tag sets: what they are called, which are configured already, and when one goes.

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

describe('a tag set is called', () => {
  test.each([
    { as: 'primary, of the Primary Network', placed: { check: 'P', subnetId: primaryNetworkId }, name: 'primary' },
    { as: 'as the operator calls the chain', placed: { check: 'dfk', alias: 'dfk' }, name: 'dfk' },
    { as: 'so, as a DNS label', placed: { check: 'My Chain!', alias: 'My Chain!' }, name: 'my-chain' },
    {
      as: 'as the P-Chain has it, with a part of the id',
      placed: { check: 'id', chainName: 'lab chain' },
      name: 'lab-chain-2brcr6',
    },
    { as: 'by its id, where the chain has no name', placed: { check: 'id' }, name: first },
    { as: 'by its id, where nothing is left of the name', placed: { check: 'id', chainName: '链' }, name: first },
    { as: 'not as the whole node', placed: { check: 'all', alias: 'all' }, name: 'all-2brcr6' },
    { as: 'not as the Primary Network', placed: { check: 'primary', alias: 'primary' }, name: 'primary-2brcr6' },
  ])('$as: $name', ({ placed, name }) => {
    expect(Object.values(namesOf([{ subnetId: first, ...placed }]))).toEqual([name]);
  });

  test('by its own name, though two chains are called the same', () => {
    const placed = [first, second].map((subnetId) => ({ check: `of ${subnetId}`, subnetId, alias: 'chain' }));
    const names = { [first]: 'chain', [second]: 'chain-wutqut' };
    expect(namesOf(placed)).toEqual(names);
    expect(namesOf(placed.toReversed())).toEqual(names);
  });

  test('as before, whatever is found later', () => {
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

  test.each(['all', 'auto', 'primary'])('%s by no P-Chain that gives this as an id: the subnet is left out', (subnetId) => {
    const placed = [
      { check: 'id', subnetId },
      { check: 'P', subnetId: primaryNetworkId },
    ];
    expect(namesOf(placed)).toEqual({ [primaryNetworkId]: 'primary' });
  });

  test('not by an id that another one is called', () => {
    const placed = [
      { check: 'id', subnetId: 'chain' },
      { check: 'other', subnetId: 'a1', alias: 'chain' },
    ];
    expect(namesOf(placed)).toEqual({ a1: 'chain' });
  });

  test('in no way twice, and by a DNS label or the id, whatever chains are called', () => {
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

test('more subnets than a node may have are left out', () => {
  const placed = Array.from({ length: maxSubnets + 5 }, (_, at) => ({ check: `c${at}`, subnetId: `s${at}` }));
  expect(withPlaced([], placed)).toHaveLength(maxSubnets);
});

describe('what is configured wins', () => {
  const known = [
    { id: first, name: 'one', checks: [] },
    { id: second, name: 'two', checks: [] },
  ];
  test.each([
    { where: 'nothing is', written: [], found: { one: first, two: second } },
    { where: 'the subnet is, by another name', written: [{ name: 'mine', tags: [first] }], found: { two: second } },
    { where: 'the name is another’s', written: [{ name: 'one', tags: ['x'] }], found: { [first]: first, two: second } },
    {
      where: 'the subnet is among others',
      written: [{ name: 'l1s', tags: [first, second] }],
      found: { one: first, two: second },
    },
  ])('where $where', ({ written, found }) => {
    expect(Object.fromEntries(foundTagSets(written, known).map(({ name, tags }) => [name, tags[0]]))).toEqual(found);
  });

  test('also where a P-Chain gives its name as an id', () => {
    const written = [{ name: 'mine', tags: ['x'] }];
    const given = { name: 'mine', id: 'mine', checks: [] };
    const other = { name: 'other', id: 'given', checks: [] };
    expect(foundTagSets(written, [given, other])).toEqual([{ name: 'other', tags: ['given'] }]);
  });

  test('and without auto nothing is found', () => {
    const options = targetOptions();
    expect(withSubnets(options, known)).toBe(options);
  });

  test('options that hold what was found are the same', () => {
    const options = withSubnets(targetOptions({ writtenTagSets: [{ name: 'all', tags: [] }] }), known);
    expect(options.tagSets.map(({ name }) => name)).toEqual(['all', 'one', 'two']);
    expect(withSubnets(options, known)).toBe(options);
  });
});

describe('a subnet whose chains are not in the report', () => {
  const known = [{ id: first, name: 'one', checks: ['chain'] }];
  const without = { checks: new Set(['P']), isReady: true, unlisted: [], at: 1000 };
  const absent = followPresence(known, without);

  test('stays, and it is known since when', () => {
    expect(absent).toEqual([{ ...known[0], absentSince: 1000 }]);
    expect(followPresence(absent, { ...without, at: 1000 + keptAbsent - 1 })).toEqual(absent);
  });

  test.each([
    { when: 'the node ran a day without it', presence: { at: 1000 + keptAbsent } },
    { when: 'the P-Chain does not list it', presence: { unlisted: [first] } },
  ])('goes when $when', ({ presence }) => {
    expect(followPresence(absent, { ...without, ...presence })).toEqual([]);
  });

  test.each([
    { when: 'the node is not ready', presence: { isReady: false } },
    { when: 'no report comes', presence: { checks: undefined } },
    { when: 'the check is there', presence: { checks: new Set(['chain']) } },
  ])('stays when $when, however long it was absent and whatever the P-Chain lists', ({ presence }) => {
    expect(followPresence(absent, { ...without, at: 1000 + 2 * keptAbsent, unlisted: [first], ...presence })).toEqual(known);
  });
});
