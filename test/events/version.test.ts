// A changed version of a node is recorded once, also if the first poll after its restart does not return the new one.

import { expect, test } from 'vitest';
import { lastValue } from '../../src/snapshot/observed.ts';
import { info } from '../../src/sources/info/info.ts';
import { ok, type Round, refused, timedOut, watchedOver } from '../support/rounds.ts';
import { noon, report, targetOptions } from '../support/snapshot.ts';

const ran = (at: number, version?: Round['version']): Round => ({
  at,
  health: { all: report({ P: ok(at) }) },
  ...(version !== undefined && { version }),
});
const down = (at: number): Round => ({ at, health: { all: refused }, readiness: refused });

const changed = { from: 'avalanchego/1.14.1', to: 'avalanchego/1.14.2' };

test.each([
  { that: 'in a poll without other changes', rounds: [ran(30, changed.to)], told: [changed] },
  { that: 'in the poll after a restart', rounds: [down(30), ran(60, changed.to)], told: [changed] },
  {
    that: 'in a later poll after a restart',
    rounds: [down(30), ran(60, timedOut), ran(90, changed.to), ran(120, changed.to)],
    told: [changed],
  },
  {
    that: 'after two restarts, if it was not requested between them',
    rounds: [down(30), ran(60, timedOut), down(90), ran(120, timedOut), ran(150, changed.to)],
    told: [changed],
  },
  { that: 'never, if it is the same after a restart', rounds: [down(30), ran(60, timedOut), ran(90, changed.from)], told: [] },
])('a new version is recorded $that', ({ rounds, told }) => {
  const { records } = watchedOver([ran(0, changed.from), ...rounds]);
  expect(records.flat().filter(({ kind }) => kind === 'version-changed')).toMatchObject(told);
});

test('a restart discards the known version, even if it was not requested again', () => {
  const { target } = watchedOver([ran(0, changed.from)]);
  const step = { options: targetOptions(), at: noon + 30, interval: 30, of: {} };
  const same = info.observe(target.sources.info, {}, { ...step, restarted: false });
  const other = info.observe(target.sources.info, {}, { ...step, restarted: true });
  expect([lastValue(same.version), lastValue(other.version)]).toEqual([changed.from, undefined]);
});
