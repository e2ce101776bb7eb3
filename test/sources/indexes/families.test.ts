// The families of index heads: an index that is off, empty or historical is in a state, not in error.

import { describe, expect, test } from 'vitest';
import type { Container } from '../../../src/protocol/container.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import type { Observed } from '../../../src/snapshot/observed.ts';
import type { IndexHead } from '../../../src/sources/indexes/head.ts';
import { trueUntil } from '../../../src/sources/stall.ts';
import { samples } from '../../support/metrics.ts';
import { fresh, noon, targetKnowing, targetOptions } from '../../support/snapshot.ts';

const container: Container = { id: '2SUG', bytes: '0x', timestamp: '2026-11-20T17:29:50.25+05:30', encoding: 'hex', index: 41n };
const refused = { kind: 'refused', reason: 'ECONNREFUSED' } as const;

const heading = (index: IndexName, observed: Observed<IndexHead>) =>
  targetKnowing(targetOptions({ indexes: [index] }), { indexes: { [index]: observed } });

const stateOf = async (index: IndexName, observed: Observed<IndexHead>): Promise<readonly string[]> => {
  const states = Object.entries(await samples(heading(index, observed), 'index_state'));
  expect(states).toHaveLength(observed.state === 'pending' || states.length > 0 ? 6 : 0);
  return states.filter(([, value]) => value === 1).map(([series]) => /state="(.*)"/.exec(series)?.[1] ?? '');
};

test.each<{ readonly when: string; readonly observed: Observed<IndexHead>; readonly states: readonly string[] }>([
  { when: 'has containers', observed: fresh({ state: 'ok', last: container }), states: ['ok'] },
  { when: 'is empty', observed: fresh({ state: 'empty' }), states: ['empty'] },
  { when: 'is off', observed: fresh({ state: 'off' }), states: ['off'] },
  { when: 'is historical', observed: fresh({ state: 'historical' }), states: ['historical'] },
  { when: 'was not polled yet', observed: { state: 'pending' }, states: ['unknown'] },
  { when: 'never answered', observed: { state: 'failed', failure: refused, failedAt: noon }, states: ['error'] },
  {
    when: 'never answered, and was last asked over staleAfter check intervals ago',
    observed: { state: 'failed', failure: refused, failedAt: noon - 91 },
    states: [],
  },
  {
    when: 'failed in the last poll',
    observed: { state: 'stale', value: { state: 'empty' }, at: noon - 60, failure: refused, failedAt: noon },
    states: ['error'],
  },
  {
    when: 'has failed in every poll for over staleAfter check intervals',
    observed: { state: 'stale', value: { state: 'empty' }, at: noon - 3600, failure: refused, failedAt: noon - 90 },
    states: ['error'],
  },
  {
    when: 'failed in the last poll, over staleAfter check intervals ago',
    observed: { state: 'stale', value: { state: 'empty' }, at: noon - 3600, failure: refused, failedAt: noon - 91 },
    states: [],
  },
])('an index that $when has exactly the states $states', async ({ observed, states }) => {
  expect(await stateOf('P/block', observed)).toEqual(states);
});

test.each<Observed<IndexHead>>([
  { state: 'stale', value: { state: 'empty' }, at: noon - 3600, failure: refused, failedAt: noon - 60 },
  { state: 'failed', failure: refused, failedAt: noon - 60 },
])('an index that failed in the last poll stays valid until that poll is over staleAfter check intervals ago: $state', (head) => {
  expect(trueUntil(heading('P/block', head), noon)).toBe(noon + 30);
});

describe('the last container of an index', () => {
  test.each(['ok', 'historical'] as const)('has its number and time exported in state %s', async (state) => {
    const target = heading('X/tx', fresh({ state, last: container }));
    expect(await samples(target, 'index_last_accepted')).toEqual({
      'index_last_accepted_height{target="node",index="X/tx"}': 41,
      'index_last_accepted_timestamp_seconds{target="node",index="X/tx"}': noon - 9.75,
    });
  });

  test('is exported after failed requests until it is older than staleAfter check intervals', async () => {
    const observed = (at: number): Observed<IndexHead> => ({
      state: 'stale',
      value: { state: 'ok', last: container },
      at,
      failure: refused,
      failedAt: noon,
    });
    expect(Object.keys(await samples(heading('P/block', observed(noon - 90)), 'index_last'))).toHaveLength(2);
    expect(await samples(heading('P/block', observed(noon - 91)), 'index_last')).toEqual({});
  });

  test('is absent when there is none', async () => {
    expect(await samples(heading('X/vtx', fresh({ state: 'historical' })), 'index_last')).toEqual({});
  });
});
