// The two rules for the next poll, whatever is believed about the node.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unknownInterval } from '../../src/snapshot/check-interval.ts';
import { nextDue, type Timing } from '../../src/snapshot/due.ts';
import { measuredInterval, noon } from '../support/snapshot.ts';

const hour = 3600;

const timing = (over: Partial<Timing> = {}): Timing => ({
  interval: {
    ...measuredInterval(30),
    run: { start: noon - 1, firstResult: noon - 1, end: noon - 0.9, complete: true },
    seenAt: noon - 0.5,
    unseenAt: noon - 30.5,
    lengths: [0.1],
  },
  clock: { lower: -0.1, upper: 0.1, at: noon },
  configured: 30,
  lastDue: noon - 0.01,
  lastEnd: noon,
  answered: true,
  offset: 0,
  ...over,
});

const withRun = (over: Partial<Timing['interval']>): Timing => timing({ interval: { ...timing().interval, ...over } });

const anything = fc.oneof(
  fc.double({ min: -3 * hour, max: 3 * hour, noNaN: true }),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
);
const ago = fc.oneof(fc.constant(undefined), fc.double({ min: 0, max: 2 * hour, noNaN: true }));
const length = fc.oneof(fc.double({ min: 0, max: 40, noNaN: true }), anything);
const interval = fc.double({ min: 1, max: hour, noNaN: true });

const anyTiming: fc.Arbitrary<Timing> = fc
  .record({
    inferred: fc.option(interval, { nil: undefined }),
    measured: fc.array(interval, { maxLength: 5 }),
    learning: fc.boolean(),
    gap: fc.double({ min: 1, max: 5, noNaN: true }),
    run: fc.record({ start: anything, firstResult: anything, end: anything, complete: fc.boolean() }),
    seenAt: fc.double({ min: 0, max: 2 * hour, noNaN: true }),
    unseenAt: ago,
    quietAt: ago,
    emptyPolls: fc.nat(20),
    lengths: fc.array(length, { maxLength: 5 }),
    sinceProbe: fc.nat(25),
    skew: fc.oneof(anything, fc.constant(Number.POSITIVE_INFINITY)),
    configured: interval,
    took: fc.double({ min: 0, max: 30, noNaN: true }),
    answered: fc.boolean(),
  })
  .map(({ inferred, run, seenAt, unseenAt, quietAt, skew, configured, took, answered, ...rest }) => ({
    interval: {
      ...unknownInterval(configured),
      ...rest,
      ...(inferred !== undefined && { inferred }),
      run: { ...run, start: noon + run.start, firstResult: noon + run.firstResult, end: noon + run.end },
      seenAt: noon - seenAt,
      ...(unseenAt !== undefined && { unseenAt: noon - seenAt - unseenAt }),
      ...(quietAt !== undefined && { quietAt: noon - Math.min(quietAt, seenAt) }),
    },
    clock: { lower: skew, upper: skew, at: noon },
    configured,
    lastDue: noon - took,
    lastEnd: noon,
    answered,
    offset: 0,
  }));

describe('the next poll', () => {
  test('is at least a second after the last one and at most two intervals', () => {
    fc.assert(
      fc.property(anyTiming, (of) => {
        const due = nextDue(of);
        const { inferred, learning, measured } = of.interval;
        const settled = !learning && measured.length > 1 ? (inferred ?? 0) : 0;
        expect(due).toBeGreaterThan(of.lastEnd);
        expect(due).toBeGreaterThanOrEqual(of.lastDue + 1);
        // If the last poll took longer, the next one follows a second after its end.
        expect(due).toBeLessThanOrEqual(Math.max(of.lastEnd + 1, of.lastDue + 2 * Math.max(of.configured, settled)));
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    { that: 'is expected', of: timing(), after: 29.15 },
    {
      that: 'is late',
      of: withRun({ run: { start: noon - 61, firstResult: noon - 61, end: noon - 61, complete: true }, seenAt: noon - 60 }),
      after: 0.99,
    },
    { that: 'took three hours the last time', of: withRun({ lengths: [0.1, 0.1, 3 * hour] }), after: 29.15 },
    { that: 'took three hours each time', of: withRun({ lengths: [3 * hour, 3 * hour] }), after: 44.05 },
    {
      that: 'claims to have started hours ago',
      of: withRun({ run: { start: noon - 3 * hour, firstResult: noon - 1, end: noon - 1, complete: true } }),
      after: 14.15,
    },
    { that: 'preceded a clock step of 2 h back', of: timing({ clock: { lower: -7200, upper: -7200, at: noon } }), after: 29.65 },
    { that: 'preceded a clock step of 2 h ahead', of: timing({ clock: { lower: 7200, upper: 7200, at: noon } }), after: 0.99 },
  ])('is due $after s after the last one when the run $that', ({ of, after }) => {
    expect(nextDue(of) - noon).toBeCloseTo(after, 6);
  });
});
