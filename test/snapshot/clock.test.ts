// What is known about the node clock after it was set.

import { describe, expect, test } from 'vitest';
import { observeDate, observeRunEnd, skewOf, unknownClock } from '../../src/snapshot/clock.ts';
import type { HealthRun } from '../../src/snapshot/health-run.ts';
import { noon } from '../support/snapshot.ts';

const ended = (end: number): HealthRun => ({ start: end - 0.1, firstResult: end - 0.1, end, complete: true });
const poll = { sentAt: noon - 0.01, endedAt: noon };
const known = { lower: -0.01, upper: 0.01, at: noon - 1 };

describe('the clock of the node', () => {
  test('is known to a second from one Date header, and unknown without one', () => {
    const dated = observeDate(unknownClock, { ...poll, date: noon + 7200 });
    expect(dated.lower).toBe(7200);
    expect(dated.upper).toBeCloseTo(7201.01, 6);
    expect(skewOf(observeDate(unknownClock, poll))).toBeUndefined();
  });

  test.each([7200, -7200, 2, -2])('that was set by %i s follows the next Date header', (step) => {
    const after = observeDate(known, { ...poll, date: noon + step });
    expect(after.lower).toBe(step);
    expect(after.upper).toBeCloseTo(step + 1.01, 6);
  });

  test.each([7200, -7200])('that was set by %i s follows the next run if there is no Date header', (step) => {
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    const skew = skewOf(observeRunEnd(known, before, { ...poll, run: ended(noon - 1 + step) }));
    expect(skew).toBeGreaterThanOrEqual(step - 1);
    expect(skew).toBeLessThanOrEqual(step + 2);
  });

  test('follows the Date header when a run of the same poll ended before the step', () => {
    const dated = observeDate(known, { ...poll, date: noon + 7200 });
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    expect(observeRunEnd(dated, before, { ...poll, date: noon + 7200, run: ended(noon - 1) })).toEqual(dated);
  });

  test('is kept when it was set during a run, whose results then contradict each other', () => {
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    const torn = { start: noon - 1, firstResult: noon - 1, end: noon + 7199, complete: true };
    expect(observeRunEnd(known, before, { ...poll, run: torn })).toEqual(known);
  });
});
