// That another node answers is told, and what it reports is no proof of what the one before did in between.

import { expect, test } from 'vitest';
import { fails, ok, type Round, watchedOver } from '../support/rounds.ts';
import { report } from '../support/snapshot.ts';

const failing = (at: number, since: number, nodeId: string): Round => ({
  at,
  health: { all: report({ P: ok(at), X: fails(since, 3) }) },
  nodeId,
});

test('a check that fails at another node since another time has not recovered in between: record and counter agree', () => {
  const { records, target } = watchedOver([failing(0, -90, 'NodeID-1'), failing(30, -30, 'NodeID-2')]);
  expect(records[1]?.map(({ kind }) => kind)).toEqual(['node-id-changed']);
  expect(target.sources.health.transitions.get('X')).toMatchObject({ passing: 0, failing: 0 });
});

test('at the same node it has: both are told', () => {
  const { records, target } = watchedOver([failing(0, -90, 'NodeID-1'), failing(30, -30, 'NodeID-1')]);
  expect(records[1]?.map(({ kind, to }) => `${kind} ${to}`)).toEqual(['check passing', 'check failing']);
  expect(target.sources.health.transitions.get('X')).toMatchObject({ passing: 1, failing: 1 });
});
