// What the API and the page show of the subnets that were found and of those that were not.

import { describe, expect, test } from 'vitest';
import type { TagSet } from '../../../src/snapshot/options.ts';
import { beginSearch } from '../../../src/sources/subnets/placement.ts';
import type { SubnetsState } from '../../../src/sources/subnets/state.ts';
import { subnetFacts, subnetsStatus } from '../../../src/sources/subnets/status.ts';
import { rememberedSubnets } from '../../../src/sources/subnets/subnets.ts';
import { foundTagSets } from '../../../src/sources/subnets/tag-sets.ts';

const known = [
  { id: '1111', name: 'primary', checks: ['P'] },
  { id: '2bRC', name: 'dfk', checks: ['dfk'], absentSince: 1_800_000_000 },
];

const shown = (over: Partial<SubnetsState>, written: readonly TagSet[] = []) => {
  const state = { ...rememberedSubnets([]), ...over };
  const options = { tagSets: [...written, ...foundTagSets(written, state.known)] };
  return subnetsStatus(state, { wallOffset: 60, options }).subnets;
};

describe('the status', () => {
  test('names each subnet, the wall-clock time since when its chains are absent, and unplaced checks', () => {
    const search = beginSearch(['x'.repeat(300), 'a'], false);
    const status = shown({ known, search, problem: { kind: 'failed', failure: { kind: 'timeout', afterMs: 5 } } });
    expect(status).toEqual({
      known: [
        { id: '1111', name: 'primary' },
        { id: '2bRC', name: 'dfk', absentSince: '2027-01-15T08:01:00.000Z' },
      ],
      unplacedChecks: ['a', expect.stringMatching(/^x{20,}…x{20,}$/)],
      pChainBootstrapping: false,
      lastError: 'no response within 5 ms',
    });
  });

  test.each([
    { written: [{ name: 'mine', tags: ['2bRC'] }], name: 'mine' },
    { written: [{ name: 'dfk', tags: ['a'] }], name: '2bRC' },
    { written: [{ name: 'mine', tags: ['2bRC', 'a'] }], name: 'dfk' },
    {
      written: [
        { name: 'dfk', tags: ['a'] },
        { name: '2bRC', tags: ['b'] },
      ],
      name: undefined,
    },
  ])('with the tag sets $written names the subnet $name', ({ written, name }) => {
    expect(shown({ known }, written)?.known.map((one) => one.name)).toEqual(['primary', name]);
  });

  test('names at most twenty unplaced checks', () => {
    const search = beginSearch(
      Array.from({ length: 50 }, (_, at) => `c${at}`),
      false,
    );
    expect(shown({ search })?.unplacedChecks).toHaveLength(20);
  });

  test('is absent without auto', () => {
    expect(shown({ isAuto: false, known })).toBeUndefined();
  });
});

describe('the page shows', () => {
  test.each([
    { of: 'no subnets', state: {}, fact: { value: 'none found yet' } },
    { of: 'absent chains', state: { known }, fact: { value: 'primary, dfk', note: 'without checks: dfk' } },
    {
      of: 'a bootstrapping P-Chain',
      state: { problem: { kind: 'bootstrapping' }, search: beginSearch(['one'], false) },
      fact: { value: 'none found yet', note: 'subnet unknown of: one; the P-Chain is bootstrapping' },
    },
    {
      of: 'a failure',
      state: { problem: { kind: 'failed', failure: { kind: 'http-status', status: 404 } } },
      fact: { value: 'none found yet', note: 'HTTP status 404' },
    },
  ] as const)('for $of: $fact.value, $fact.note', ({ state, fact }) => {
    expect(subnetFacts(shown(state))).toEqual([{ name: 'Subnets', ...fact }]);
  });

  test('nothing without auto', () => {
    expect(subnetFacts(undefined)).toEqual([]);
  });
});
