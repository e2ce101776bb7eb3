// The maintenance window of a target: polls and reloads keep it, page and API show it until its end.

import { expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { noLines } from '../../src/events/lines.ts';
import type { MaintenanceWindow } from '../../src/maintenance/window.ts';
import { targetStatus } from '../../src/server/status.ts';
import { sources } from '../../src/sources/sources.ts';
import { adjusted, maintained, updateTarget, withOptions } from '../../src/target-update.ts';
import { pageOf } from '../support/page.ts';
import { judged, noon, targetKnowing, targetOptions } from '../support/snapshot.ts';

const maintenance: MaintenanceWindow = { start: noon - 10, end: noon + 60, reason: 'upgrade', source: 'api' };
const plain = judged(targetKnowing(targetOptions()));
const target: Target = { ...plain, maintenance };

test('a poll and a reload keep the window of a target', () => {
  const { state } = target;
  const options = targetOptions({ staleAfter: 9 });
  expect(updateTarget(sources, { target, memory: noLines }, state, noon).target.maintenance).toBe(maintenance);
  expect(withOptions(target, options, noon).maintenance).toBe(maintenance);
  expect(adjusted(sources, target, options, noon).maintenance).toBe(maintenance);
});

test('only targets whose open window has changed are replaced', () => {
  const targets = new Map([
    ['a', target],
    ['b', plain],
  ]);
  expect(maintained(targets, (name) => (name === 'a' ? maintenance : undefined))).toEqual([]);
  expect(maintained(targets, (name) => (name === 'b' ? maintenance : undefined))).toEqual([plain, target]);
  expect(maintained(new Map([['a', target]]), () => undefined)[0]).not.toHaveProperty('maintenance');
});

test.each([
  { at: noon + 59.9, wallOffset: 0, shown: true },
  { at: noon + 60, wallOffset: 0, shown: false },
  { at: noon, wallOffset: 60, shown: false },
])('the API shows the window at $at with a wall clock offset of $wallOffset: $shown', ({ at, wallOffset, shown }) => {
  const status = targetStatus(sources, target, { now: at, wallOffset });
  expect(status?.maintenance).toEqual(
    shown ? { until: '2026-11-20T12:01:00.000Z', reason: 'upgrade', source: 'api' } : undefined,
  );
});

test('the fleet page shows which target is in maintenance', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const fleet = names.map((name): readonly [string, Target] => {
    const one = judged(targetKnowing(targetOptions({ name })));
    return [name, name === 'c' ? { ...one, maintenance } : one];
  });
  const { text } = await pageOf(new Map(fleet));
  expect(text.match(/\b\w · not polled yet in maintenance/g)).toEqual(['c · not polled yet in maintenance']);
});
