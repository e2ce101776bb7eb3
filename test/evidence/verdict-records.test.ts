// What a change of a verdict keeps of the moment: what failed then, of its own tag set.

import { expect, test } from 'vitest';
import { verdictRecords } from '../../src/evidence/record.ts';
import type { TargetSnapshot } from '../../src/snapshot/snapshot.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { State, TargetVerdicts } from '../../src/verdict/judgement.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const tagSets = [
  { name: 'all', tags: [] },
  { name: 'alpha', tags: ['a'] },
  { name: 'beta', tags: ['b'] },
];

const many = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`check-${nth}`, failing('closed')]));

const after = targetKnowing(targetOptions({ tagSets }), {
  health: {
    all: fresh(report(many)),
    alpha: fresh(report({ P: failing('closed'), network: passing(), x: failing('closed') })),
    beta: fresh(report({ P: passing() })),
  },
});

/** The verdicts of the target, but each readiness as given. */
const readiness = (target: TargetSnapshot, state: State): TargetVerdicts => ({
  ...judge(undefined, target, noon),
  ready: new Map(tagSets.map(({ name }) => [name, { state, because: `it is ${state}`, reasons: [] }])),
});

const changed = (target: TargetSnapshot) =>
  verdictRecords('node', readiness(target, 'yes'), readiness(target, 'no'), target, noon + 30);

test('a record of each tag set that changed names what failed in it, and nothing of another', () => {
  expect(changed(after)).toMatchObject([
    { kind: 'verdict', verdict: 'ready', from: 'yes', to: 'no', at: noon + 30, tagSets: ['all'], alsoFailingCount: 30 },
    { tagSets: ['alpha'], alsoFailing: ['P', 'x'], alsoFailingCount: 2, because: 'it is no' },
    { tagSets: ['beta'] },
  ]);
  expect(changed(after)[2]).not.toHaveProperty('alsoFailing');
});

test('the names are bounded, and their count is whole', () => {
  expect(changed(after)[0]?.alsoFailing).toHaveLength(20);
});

test('a report that is no longer the newest tells nothing of now', () => {
  const lost = { state: 'failed', failure: { kind: 'refused', reason: 'ECONNREFUSED' }, failedAt: noon } as const;
  const gone = { ...after, health: new Map([...after.health, ['alpha', lost] as const]) };
  expect(changed(gone)[1]).not.toHaveProperty('alsoFailing');
});

test('what did not change is no record', () => {
  expect(verdictRecords('node', readiness(after, 'no'), readiness(after, 'no'), after, noon)).toEqual([]);
  expect(verdictRecords('node', undefined, readiness(after, 'no'), after, noon)).toEqual([]);
});
