// That the version of a node changed is told once, also where the poll after its restart does not bring the new one.

import { expect, test } from 'vitest';
import { ok, type Round, refused, timedOut, watchedOver } from '../support/rounds.ts';
import { report } from '../support/snapshot.ts';

const ran = (at: number, version?: Round['version']): Round => ({
  at,
  health: { all: report({ P: ok(at) }) },
  ...(version !== undefined && { version }),
});
const down = (at: number): Round => ({ at, health: { all: refused }, readiness: refused });

const changed = { from: 'avalanchego/1.14.1', to: 'avalanchego/1.14.2' };

test.each([
  { that: 'in a poll that shows nothing else', rounds: [ran(30, changed.to)], told: [changed] },
  { that: 'in the poll after a restart', rounds: [down(30), ran(60, changed.to)], told: [changed] },
  {
    that: 'in a later poll after a restart',
    rounds: [down(30), ran(60, timedOut), ran(90, changed.to), ran(120, changed.to)],
    told: [changed],
  },
  {
    that: 'after two restarts of which the first was too short to ask for it',
    rounds: [down(30), ran(60, timedOut), down(90), ran(120, timedOut), ran(150, changed.to)],
    told: [changed],
  },
  { that: 'never, where it is the same after a restart', rounds: [down(30), ran(60, timedOut), ran(90, changed.from)], told: [] },
])('a new version is told $that', ({ rounds, told }) => {
  const { records } = watchedOver([ran(0, changed.from), ...rounds]);
  expect(records.flat().filter(({ kind }) => kind === 'version-changed')).toMatchObject(told);
});
