// The record of a condition change has the checks of its own tag set that failed at that time.

import { expect, test } from 'vitest';
import type { Status, Target } from '../../src/conditions/condition.ts';
import { conditionRecords } from '../../src/events/condition-records.ts';
import { folded } from '../../src/events/fold.ts';
import { conditionLines } from '../../src/events/record-lines.ts';
import { logEntryOf } from '../../src/events/sentence.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { failing, fresh, judged, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

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

const each = (status: Status) =>
  new Map(
    tagSets.map(({ name }) => [
      name,
      { status, reason: 'ChecksFailing', message: `it is ${status}`, failureReasons: [], lastTransitionAt: noon } as const,
    ]),
  );

/** The target with this Ready status for each tag set. */
const ready = (state: TargetState, status: Status): Target => ({
  state,
  conditions: { ...judged(state).conditions, ready: each(status) },
});

const healthy = (target: Target, status: Status): Target => ({
  ...target,
  conditions: { ...target.conditions, healthy: each(status) },
});

const changed = (state: TargetState) => conditionRecords(ready(state, 'True'), ready(state, 'False'), 30);

test('each changed tag set has a record that names its own failing checks only', () => {
  expect(changed(after)).toMatchObject([
    {
      kind: 'condition',
      target: 'node',
      condition: 'Ready',
      from: 'True',
      to: 'False',
      at: noon + 30,
      tagSets: ['all'],
      alsoFailingCount: 30,
    },
    { tagSets: ['alpha'], alsoFailing: ['P', 'x'], alsoFailingCount: 2, message: 'it is False' },
    { tagSets: ['beta'] },
  ]);
  expect(changed(after)[2]).not.toHaveProperty('alsoFailing');
});

test('the log line of a condition has the failing checks in the field `failing`', () => {
  const [, alpha] = changed(after);
  const { fields } = logEntryOf([alpha ?? { kind: 'condition', target: 'node', at: noon }]);
  expect(fields).toMatchObject({ failing: ['P', 'x'], failingCount: 2 });
  expect(fields).not.toHaveProperty('alsoFailing');
});

test('at most 20 failing checks are named, and all are counted', () => {
  expect(changed(after)[0]?.alsoFailing).toHaveLength(20);
});

test('a record has no failing checks if the last report of its tag set is missing', () => {
  const lost = { state: 'failed', failure: { kind: 'refused', reason: 'ECONNREFUSED' }, failedAt: noon } as const;
  const { health } = after.sources;
  const gone = {
    ...after,
    sources: { ...after.sources, health: { ...health, reports: new Map(health.reports).set('alpha', lost) } },
  };
  expect(changed(gone)[1]).not.toHaveProperty('alsoFailing');
});

test('an unchanged condition has no record', () => {
  expect(conditionRecords(ready(after, 'False'), ready(after, 'False'))).toEqual([]);
});

test('Healthy is recorded next to Ready, and has a log line only if no other line covers the change', () => {
  const good = healthy(ready(after, 'True'), 'True');
  const both = healthy(ready(after, 'False'), 'False');
  const records = conditionRecords(good, both);
  expect(records.map(({ condition, tagSets: [name] = [] }) => `${condition} ${name}`)).toEqual([
    'Ready all',
    'Ready alpha',
    'Ready beta',
    'Healthy all',
    'Healthy alpha',
    'Healthy beta',
  ]);
  const lines = (of: typeof records) =>
    conditionLines(of, false).map(({ level, message, fields }) => [level, message, fields.tagSets]);
  const tagSets = ['all', 'alpha', 'beta'];
  expect(lines(records)).toEqual([['warn', 'condition Ready changed to False: it is False', tagSets]]);
  const mended = conditionRecords(both, healthy(both, 'True'));
  expect(lines(mended)).toEqual([['info', 'condition Healthy changed to True: it is True', tagSets]]);
  expect(lines([{ kind: 'health-running', at: noon, target: 'node' }, ...mended])).toEqual([]);
});

test('Healthy of several tag sets is shown as one line only if the same checks fail', () => {
  const shown = (state: TargetState) => {
    const [good, bad] = (['True', 'False'] as const).map((status) => healthy(ready(state, 'True'), status));
    const records = good === undefined || bad === undefined ? [] : conditionRecords(good, bad);
    return folded(records).map(({ record }) => record.tagSets);
  };
  expect(shown(after)).toEqual([['all'], ['alpha'], ['beta']]);
  const one = fresh(report({ P: failing('closed') }));
  const equal = targetKnowing(targetOptions({ tagSets }), {
    health: { all: fresh(report(many)), alpha: one, beta: fresh(report({ P: failing('closed'), x: passing() })) },
  });
  expect(shown(equal)).toEqual([['all'], ['alpha', 'beta']]);
});
