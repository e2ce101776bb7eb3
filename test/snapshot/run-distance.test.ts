// Which distances between two runs are trusted.

import { describe, expect, test } from 'vitest';
import type { HealthRun } from '../../src/snapshot/health-run.ts';
import { believable, distanceOf } from '../../src/snapshot/run-distance.ts';
import { noon } from '../support/snapshot.ts';

const run = (start: number, seconds = 0.1, complete = true): HealthRun => ({
  start,
  firstResult: start + 0.001,
  end: start + seconds,
  complete,
});

/** A run at noon and a later one, as a doubling poller sees them; `claimed`: the distance on the node clock. */
const seen = ({ later, claimed = later, first = run(noon) }: { later: number; claimed?: number; first?: HealthRun }) =>
  distanceOf(
    { run: first, seenAt: noon + 1, unseenAt: noon - 0.3 * later, quietAt: noon + 0.6 * later, askedAt: noon + 0.6 * later },
    { run: run(noon + claimed), endedAt: noon + 1.1 * later },
  );

const alone = { configured: 30, inferred: undefined, candidate: undefined };

describe('a distance between two runs', () => {
  test.each([
    { is: 'what passed on our clock', later: 100, claimed: 100, possible: true },
    { is: 'hours while we waited a minute', later: 60, claimed: 7260, possible: false },
    { is: 'eleven minutes while we waited one', later: 60, claimed: 660, possible: false },
    { is: 'a moment while nothing was new for a minute', later: 100, claimed: 5, possible: false },
    { is: 'negative', later: 100, claimed: -7100, possible: false },
  ])('that is $is is possible: $possible', ({ later, claimed, possible }) => {
    const distance = seen({ later, claimed });
    expect(distance.isPossible).toBe(possible);
    expect('atMost' in distance).toBe(possible);
    expect(believable(distance, { configured: claimed, inferred: claimed, candidate: claimed })).toBe(possible);
  });

  test.each([
    { that: 'was measured', distance: seen({ later: 100 }), by: alone, is: true },
    { that: 'followed a run that took most of it', distance: seen({ later: 100, first: run(noon, 62) }), by: alone, is: false },
    {
      that: 'followed a run that is not complete',
      distance: seen({ later: 100, first: run(noon, 0.1, false) }),
      by: alone,
      is: false,
    },
    {
      that: 'followed a run that took most of it, as the one before',
      distance: seen({ later: 100, first: run(noon, 62) }),
      by: { ...alone, candidate: 95 },
      is: true,
    },
    {
      that: 'followed a run that took most of it, unlike the one before',
      distance: seen({ later: 100, first: run(noon, 62) }),
      by: { ...alone, candidate: 80 },
      is: false,
    },
    {
      that: 'refines what is configured',
      distance: seen({ later: 59, first: run(noon, 50) }),
      by: alone,
      is: true,
    },
    {
      that: 'refines what was inferred before',
      distance: seen({ later: 100, first: run(noon, 62) }),
      by: { ...alone, inferred: 60 },
      is: true,
    },
  ])('that $that is trusted: $is', ({ distance, by, is }) => {
    expect(believable(distance, by)).toBe(is);
  });

  test('from a run seen in the first poll has no upper bound, and only refines the configured interval', () => {
    const before = { run: run(noon), seenAt: noon + 1, quietAt: noon + 60, askedAt: noon + 60 };
    const distance = distanceOf(before, { run: run(noon + 7200), endedAt: noon + 110 });
    expect(distance).toMatchObject({ isPossible: true, isMeasured: false });
    expect(distance).not.toHaveProperty('atMost');
    expect(believable(distance, alone)).toBe(false);
    expect(believable(distance, { ...alone, configured: 3600 })).toBe(true);
  });
});
