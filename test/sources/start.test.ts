// What a source keeps when a reload changes its options: the state of everything that is still polled, and nothing else.

import { describe, expect, test } from 'vitest';
import type { IndexName } from '../../src/protocol/paths.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import { health } from '../../src/sources/health/health.ts';
import { keptKnowledge, noKnowledge } from '../../src/sources/health/tags.ts';
import { indexes } from '../../src/sources/indexes/indexes.ts';
import type { IndexState } from '../../src/sources/indexes/state.ts';
import { unverified } from '../../src/sources/indexes/verification.ts';
import { fresh, passing, report, targetOptions } from '../support/snapshot.ts';

const pending = { state: 'pending' };
const all = { name: 'all', tags: [] };
const tagSet = (name: string, ...tags: readonly string[]) => ({ name, tags: [...tags] });

test('a reload keeps a report by the tags it was requested with, whatever its tag set is called', () => {
  const [whole, ofA] = [fresh(report({ P: passing() })), fresh(report({ A: passing() }))];
  const before = {
    ...health.start(targetOptions({ tagSets: [all, tagSet('one', 'a'), tagSet('two', 'b')] })),
    reports: new Map([
      ['all', whole],
      ['one', ofA],
    ]),
    transitions: new Map([['P', { passing: 1, failing: 2, last: 'failing' as const }]]),
  };
  const tagSets = [tagSet('everything'), tagSet('two', 'a'), tagSet('one', 'c')];
  const { untagged, reports, transitions } = health.start(targetOptions({ tagSets }), before);
  expect(untagged).toBe('everything');
  expect([...reports]).toEqual([
    ['everything', whole],
    ['two', ofA],
    ['one', pending],
  ]);
  expect(reports.get('two')).toBe(ofA);
  expect(transitions).toBe(before.transitions);
});

test.each([
  { to: 'the same tags under another name', sets: [tagSet('x', 'a', 'b')], adds: ['a', 'b'], toAsk: 0, open: [] },
  { to: 'one of the tags', sets: [tagSet('x', 'a')], adds: ['a'], toAsk: 0, open: [] },
  { to: 'one of the tags and a new one', sets: [tagSet('x', 'a', 'c')], adds: ['a'], toAsk: 2, open: ['c'] },
  { to: 'no tags', sets: [], adds: [], toAsk: 0, open: [] },
])('a reload to $to keeps what is known of tags and asks only for new ones', ({ sets, adds, toAsk, open }) => {
  const known = new Map([
    ['a', true],
    ['b', false],
  ]);
  const after = keptKnowledge({ adds: known, toAsk: 0, open: [], observedAt: 7 }, { tagSets: [all, ...sets] });
  expect([...after.adds]).toEqual([...known].filter(([tag]) => adds.includes(tag)));
  expect(after).toMatchObject({ toAsk, open, observedAt: 7 });
});

test('a reload keeps the tag requests that are still due', () => {
  const tagSets = [all, tagSet('one', 'a', 'b')];
  const before = noKnowledge({ tagSets });
  expect(keptKnowledge(before, { tagSets: [all, tagSet('two', 'a', 'b')] })).toEqual(before);
});

describe('the indexes after a reload', () => {
  const on: IndexState = { head: fresh({ state: 'empty' }), growth: [], verification: unverified, wasOn: true };
  const off: IndexState = { ...on, head: fresh({ state: 'off' }), wasOn: false };
  const gone: IndexState = { ...off, wasOn: true };
  const before = new Map<IndexName, IndexState>([
    ['P/block', on],
    ['C/block', off],
    ['X/block', gone],
  ]);

  test.each<{ readonly indexes: TargetOptions['indexes']; readonly kept: readonly IndexName[]; readonly added?: IndexName }>([
    { indexes: ['X/tx', 'P/block'], kept: ['P/block'], added: 'X/tx' },
    { indexes: 'auto', kept: ['P/block', 'X/block'] },
    { indexes: [], kept: [] },
  ])('to $indexes keep the state of $kept', ({ indexes: wanted, kept, added }) => {
    const { watched } = indexes.start(targetOptions({ indexes: wanted }), { watched: before });
    expect(new Map([...watched].filter(([name]) => name !== added))).toEqual(
      new Map(kept.map((name) => [name, before.get(name)])),
    );
    expect(added && watched.get(added)?.head).toEqual(added && pending);
  });
});
