// In which subnet each check of a report belongs, found with the requests that the API offers: whatever the chains are called and however
// many subnets there are, each check is placed correctly with few requests.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../../src/protocol/id.ts';
import {
  beginSearch,
  observeBlockchains,
  observeTags,
  type Search,
  searchQuestions,
} from '../../../src/sources/subnets/placement.ts';

interface Network {
  /** Names of checks without a tag. */
  readonly application: readonly string[];
  /** Subnet by check name. */
  readonly chains: ReadonlyMap<string, string>;
  readonly blockchains: readonly { readonly id: string; readonly subnetId: string; readonly name?: string }[];
}

const most = 8;

/** Runs a search to its end: the search, and the number of requests in each poll. */
const searched = (network: Network, checks: readonly string[], known: readonly string[] = [], verify = false) => {
  const reportOf = (tags: readonly string[]): ReadonlySet<string> =>
    new Set([...network.application, ...[...network.chains].flatMap(([check, subnet]) => (tags.includes(subnet) ? check : []))]);
  const asked: string[] = [];
  const polls: number[] = [];
  let search: Search = beginSearch(checks, verify);
  while (search.stage !== 'ended') {
    const questions = searchQuestions(search, most);
    polls.push(questions.length);
    for (const question of questions) {
      asked.push(question.of);
      search =
        question.of === 'tags'
          ? observeTags(search, question.tags, reportOf(question.tags))
          : observeBlockchains(search, network.blockchains, known);
    }
  }
  const placed = Object.fromEntries(search.placed.map(({ check, subnetId }) => [check, subnetId]));
  return { search, placed, polls, asked };
};

const name = fc.string({ minLength: 1, maxLength: 8 });

/** Subnets with chains that are reported by id or by alias, among many subnets that the node does not track. */
const networks = fc
  .record({
    application: fc.uniqueArray(name, { maxLength: 6 }),
    aliases: fc.uniqueArray(name, { maxLength: 6 }),
    byId: fc.nat({ max: 6 }),
    subnets: fc.integer({ min: 1, max: 300 }),
    at: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ application, aliases, byId, subnets, at }): Network => {
    const subnetOf = (place: number): string => `subnet-${(at[place % 12] ?? 0) % subnets}`;
    const own = application.map((one) => `application ${one}`);
    const named = aliases.map((alias, place) => [`alias ${alias}`, subnetOf(place)] as const);
    const ids = Array.from({ length: byId }, (_, place) => [`id-${place}`, subnetOf(6 + place)] as const);
    const every = Array.from({ length: subnets }, (_, place) => ({
      id: `chain-${place}`,
      subnetId: `subnet-${place}`,
      name: 'a chain',
    }));
    return {
      application: own,
      chains: new Map([...named, ...ids, ['P', primaryNetworkId], ['C', primaryNetworkId]]),
      blockchains: [...every, ...ids.map(([id, subnetId]) => ({ id, subnetId }))],
    };
  });

describe('a search', () => {
  test('places every check in its subnet, and checks without a tag in none', () => {
    fc.assert(
      fc.property(networks, (network) => {
        const { search, placed } = searched(network, [...network.application, ...network.chains.keys()]);
        expect(placed).toEqual(Object.fromEntries(network.chains));
        expect(search.application.toSorted()).toEqual(network.application.toSorted());
        expect(search.open).toEqual([]);
      }),
    );
  });

  test('sends at most eight requests per poll, about one for 64 subnets and at most 14 for each alias', () => {
    fc.assert(
      fc.property(networks, (network) => {
        const { polls, asked } = searched(network, [...network.application, ...network.chains.keys()]);
        const aliases = [...network.chains.keys()].filter((check) => check.startsWith('alias')).length;
        expect(Math.max(0, ...polls)).toBeLessThanOrEqual(most);
        expect(asked.length).toBeLessThanOrEqual(2 + Math.ceil(network.blockchains.length / 64) + 2 + 14 * aliases);
        expect(asked.filter((of) => of === 'blockchains').length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('leaves a check of no listed subnet open, and ends', () => {
    fc.assert(
      fc.property(networks, (network) => {
        const { search, placed } = searched(network, ['unheard of', ...network.chains.keys()]);
        expect(search.open).toEqual(['unheard of']);
        expect(placed).toEqual(Object.fromEntries(network.chains));
      }),
    );
  });
});

const quiet: Network = {
  application: ['network', 'bootstrapped'],
  chains: new Map([
    ['P', primaryNetworkId],
    ['X', primaryNetworkId],
    ['C', primaryNetworkId],
    ['one', 'subnet-1'],
    ['two', 'subnet-2'],
  ]),
  blockchains: [
    { id: 'chain-1', subnetId: 'subnet-1' },
    { id: 'chain-2', subnetId: 'subnet-2' },
    { id: 'chain-c', subnetId: primaryNetworkId },
  ],
};

describe('the requests of a search', () => {
  test.each([
    { of: 'P, X and C', checks: ['P', 'X', 'C'], asked: [] },
    { of: 'P and checks without a tag', checks: ['P', 'network', 'bootstrapped'], asked: ['tags'] },
    { of: 'a chain reported by its id', checks: ['network', 'chain-1'], asked: ['tags', 'blockchains'] },
    {
      of: 'a chain reported by an alias',
      checks: ['network', 'one'],
      asked: ['tags', 'blockchains', 'tags', 'tags', 'tags', 'tags', 'tags'],
    },
  ])('for $of: $asked', ({ checks, asked }) => {
    expect(searched(quiet, checks).asked).toEqual(asked);
  });

  test('cover known subnets first', () => {
    const { asked, placed } = searched(quiet, ['network', 'two'], ['subnet-2']);
    expect([placed, asked]).toEqual([{ two: 'subnet-2' }, ['tags', 'blockchains', 'tags', 'tags']]);
  });

  test.each([
    { list: 'that lacks one of the known subnets', blockchains: quiet.blockchains, unlisted: ['gone'] },
    { list: 'that is empty, as that of no real network', blockchains: [], unlisted: [] },
  ])('a list $list shows as gone: $unlisted', ({ blockchains, unlisted }) => {
    const { search, asked } = searched({ ...quiet, blockchains }, [], [primaryNetworkId, 'subnet-1', 'gone'], true);
    expect([search.unlisted, asked]).toEqual([unlisted, ['blockchains']]);
  });

  test('a subnet id that can be neither a tag set nor a label is ignored', () => {
    const blockchains = ['a/b', 'a b', 'x'.repeat(64), ''].map((subnetId, at) => ({ id: `chain-${at}`, subnetId }));
    expect(searched({ ...quiet, blockchains }, ['chain-0', 'chain-1', 'chain-2', 'chain-3']).placed).toEqual({});
  });

  test('ask the P-Chain only to verify known subnets when no new check has a tag', () => {
    expect(searched(quiet, ['network'], ['gone'], true).asked).toEqual(['tags', 'blockchains']);
  });
});
