// The end of a maintenance window on the page: a sample while it is open, and none from its end on, cached or not.

import { expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import type { MaintenanceWindow } from '../../src/maintenance/window.ts';
import { contributionOf, isTrue } from '../../src/metrics/contribution.ts';
import { contributed, layout, textOf } from '../support/metrics.ts';
import { judged, noon, targetKnowing, targetOptions } from '../support/snapshot.ts';

const window: MaintenanceWindow = { start: noon - 10, end: noon + 60, reason: 'upgrade', source: 'api' };
const target = judged(targetKnowing(targetOptions({ labels: { region: 'eu' } })));

const endIn = (page: string): string | undefined => /^snowgauge_target_maintenance_end_timestamp_seconds.*$/m.exec(page)?.[0];

test.each([
  { when: 'no window is open', maintenance: undefined, at: noon, shown: undefined },
  { when: 'a window begins', maintenance: window, at: noon - 10, shown: noon + 60 },
  { when: 'the clock is set back to before the start of an open window', maintenance: window, at: noon - 3600, shown: noon + 60 },
  { when: 'a window is about to end', maintenance: window, at: noon + 59.999, shown: noon + 60 },
  { when: 'a window ends', maintenance: window, at: noon + 60, shown: undefined },
])('when $when, the exported end is $shown', async ({ maintenance, at, shown }) => {
  const line = endIn(await contributed({ ...target, ...(maintenance && { maintenance }) }, at));
  const series = 'snowgauge_target_maintenance_end_timestamp_seconds{target="node",region="eu"}';
  expect(line).toBe(shown === undefined ? undefined : `${series} ${shown}`);
});

test('the end is compared with the wall clock, whatever the steady clock', async () => {
  const maintained: Target = { ...target, maintenance: window };
  // The steady clock is an hour behind: by the wall clock, the window is over.
  expect(endIn(await contributed(maintained, noon, 'text', 3600))).toBeUndefined();
  expect(endIn(await contributed(maintained, noon + 3600, 'text', -3600))).toContain(` ${noon + 60}`);
});

test('the cached part of a target is invalid after the end of its window', async () => {
  const maintained: Target = { ...target, maintenance: window };
  for (const offset of [0, 3600]) {
    const kept = contributionOf(layout, maintained, noon - offset, offset);
    expect(endIn(await textOf(kept))).toBeDefined();
    expect(isTrue(kept, maintained, noon + 59.9 - offset, offset)).toBe(true);
    expect(isTrue(kept, maintained, noon + 60 - offset, offset)).toBe(false);
  }
});
