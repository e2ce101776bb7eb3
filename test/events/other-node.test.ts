// A changed NodeID is recorded, and the report of the new node does not prove anything about the previous one.

import { expect, test } from 'vitest';
import { fails, ok, type Round, timedOut, watchedOver } from '../support/rounds.ts';
import { report } from '../support/snapshot.ts';

const failing = (at: number, since: number, nodeId: string): Round => ({
  at,
  health: { all: report({ P: ok(at), X: fails(since, 3) }) },
  nodeId,
});

test('a check that fails since another time on another node has not recovered, in records and counters', () => {
  const { records, target } = watchedOver([failing(0, -90, 'NodeID-1'), failing(30, -30, 'NodeID-2')]);
  expect(records[1]?.map(({ kind }) => kind)).toEqual(['node-id-changed']);
  expect(target.sources.health.transitions.get('X')).toMatchObject({ passing: 0, failing: 0 });
});

test('a check that fails since another time on the same node has recovered in between, in records and counters', () => {
  const { records, target } = watchedOver([failing(0, -90, 'NodeID-1'), failing(30, -30, 'NodeID-1')]);
  expect(records[1]?.map(({ kind, to }) => `${kind} ${to}`)).toEqual(['check passing', 'check failing']);
  expect(target.sources.health.transitions.get('X')).toMatchObject({ passing: 1, failing: 1 });
});

test.each([
  { former: 'ready', readiness: report({ bootstrapped: ok() }) },
  { former: 'starting', readiness: report({ bootstrapped: fails(-900) }) },
])(
  'a node that starts in place of one that was $former is not restarted, even if its first request for readiness fails',
  ({ readiness }) => {
    const round = (at: number, nodeId: string): Round => ({ at, health: { all: report({ P: ok(at) }) }, nodeId });
    const starting = report({ bootstrapped: fails(20) });
    const { records, target } = watchedOver([
      { ...round(0, 'NodeID-1'), readiness },
      { ...round(30, 'NodeID-2'), readiness: timedOut },
      { ...round(60, 'NodeID-2'), readiness: starting },
      { ...round(90, 'NodeID-2'), readiness: starting },
    ]);
    expect(records.map((all) => all.map(({ kind }) => kind))).toEqual([[], ['node-id-changed'], [], []]);
    expect(target.restarts.count).toBe(0);
  },
);
