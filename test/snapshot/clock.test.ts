// What is known of the node's clock after it was set.

import { describe, expect, test } from 'vitest';
import { observeDate, observeRunEnd, skewOf, unknownClock } from '../../src/snapshot/clock.ts';
import type { HealthRun } from '../../src/snapshot/health-run.ts';
import { noon } from '../support/snapshot.ts';

const ended = (end: number): HealthRun => ({ start: end - 0.1, firstResult: end - 0.1, end, complete: true });
const poll = { sentAt: noon - 0.01, endedAt: noon };
const known = { lower: -0.01, upper: 0.01, at: noon - 1 };

describe('the clock of the node', () => {
  test('is known to a second from one Date header, and not at all without', () => {
    const dated = observeDate(unknownClock, { ...poll, date: noon + 7200 });
    expect(dated.lower).toBe(7200);
    expect(dated.upper).toBeCloseTo(7201.01, 6);
    expect(skewOf(observeDate(unknownClock, poll))).toBeUndefined();
  });

  test.each([7200, -7200, 2, -2])('that was set by %i s is what the next Date header says', (step) => {
    const after = observeDate(known, { ...poll, date: noon + step });
    expect(after.lower).toBe(step);
    expect(after.upper).toBeCloseTo(step + 1.01, 6);
  });

  test.each([7200, -7200])('that was set by %i s is what the next run says, where there is no Date header', (step) => {
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    const skew = skewOf(observeRunEnd(known, before, { ...poll, run: ended(noon - 1 + step) }));
    expect(skew).toBeGreaterThanOrEqual(step - 1);
    expect(skew).toBeLessThanOrEqual(step + 2);
  });

  test('is what the Date header says where a run of the same poll ended before the step', () => {
    const dated = observeDate(known, { ...poll, date: noon + 7200 });
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    expect(observeRunEnd(dated, before, { ...poll, date: noon + 7200, run: ended(noon - 1) })).toEqual(dated);
  });

  test('stays as it was where it was set in the middle of a run, whose results then exclude each other', () => {
    const before = { run: ended(noon - 30), askedAt: noon - 2 };
    const torn = { start: noon - 1, firstResult: noon - 1, end: noon + 7199, complete: true };
    expect(observeRunEnd(known, before, { ...poll, run: torn })).toEqual(known);
  });
});
