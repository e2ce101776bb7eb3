// When checks count as frozen, whom they may wait for, and until when a page may say that they run.

import { describe, expect, test } from 'vitest';
import { currentUntil } from '../../src/metrics/sources.ts';
import { movingUntil, stillnessAt } from '../../src/snapshot/frozen.ts';
import type { TargetSnapshot } from '../../src/snapshot/snapshot.ts';
import { fresh, type Known, noon, passing, report, snapshotOf, targetKnowing, targetOptions } from '../support/snapshot.ts';

const seen = targetKnowing(targetOptions()).cadence;
const cadence = { ...seen, inferred: 30, learning: false };

const still = (known: Known = {}, staleAfter = 3): TargetSnapshot =>
  targetKnowing(targetOptions({ staleAfter }), {
    health: { all: fresh(report({ P: passing() }), noon) },
    movement: { movedAt: noon - 80, apart: 30, quietLooks: 3 },
    cadence,
    ...known,
  });

describe('checks that have not moved', () => {
  test('are frozen after three cadences, and not at that very instant', () => {
    expect(stillnessAt(still(), noon + 10)?.frozen).toBe(false);
    expect(stillnessAt(still(), noon + 10.001)?.frozen).toBe(true);
  });

  test('are not judged before a timestamp has advanced, nor while the API does not answer', () => {
    expect(stillnessAt(still({ movement: { movedAt: noon - 900, quietLooks: 30 } }), noon)).toBeUndefined();
    const failure = { kind: 'timeout', afterMs: 1 } as const;
    const health = { all: { state: 'stale', value: report({}), at: noon, failure, failedAt: noon } as const };
    expect(stillnessAt(still({ health }), noon + 60)).toBeUndefined();
  });

  test('are not frozen because the exporter was held up: a look speaks for one cadence', () => {
    const moved = still({ movement: { movedAt: noon, apart: 30, quietLooks: 0 } });
    expect(stillnessAt(moved, noon + 100_000)?.frozen).toBe(false);
  });

  test('are given the longer of two distances while the cadence is learnt anew', () => {
    const learning = { cadence: { ...cadence, inferred: 3, learning: true } };
    expect(stillnessAt(still(learning), noon)?.frozen).toBe(false);
    expect(stillnessAt(still({ cadence: { ...cadence, inferred: 3 } }), noon)?.frozen).toBe(true);
  });
});

describe('a page', () => {
  test('that says the checks run is true until the frozen limit, where that comes first', () => {
    expect(movingUntil(still(), noon)).toBe(noon + 10);
    expect(currentUntil(snapshotOf(still()), noon)).toBe(noon + 10);
    expect(currentUntil(snapshotOf(still()), noon + 10.001)).toBe(noon + 90);
  });
});

describe('the suspect', () => {
  test.each([
    { is: 'the check that lags behind the round', checks: { a: 0, hung: -30, b: 0.001 }, suspect: 'hung' },
    { is: 'the one that lags longest', checks: { a: 0, late: -30, later: -60 }, suspect: 'later' },
    { is: 'one that has never run, where none lags', checks: { a: 0, b: 0.001, never: undefined }, suspect: 'never' },
    { is: 'the oldest of the round, where all have run', checks: { b: 0.002, a: 0.001 }, suspect: 'a' },
  ])('is $is', ({ checks, suspect }) => {
    const results = Object.entries(checks).map(
      ([name, at]) => [name, passing({ timestamp: at === undefined ? 'never' : noon - 100 + at })] as const,
    );
    const health = { all: fresh(report(Object.fromEntries(results)), noon) };
    expect(stillnessAt(still({ health }), noon + 20)).toMatchObject({ frozen: true, suspect });
  });
});
