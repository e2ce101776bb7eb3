// The inferred check interval of a steady node, whatever is configured, and how many polls it takes.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { skewOf } from '../../src/snapshot/clock.ts';
import { cases, drawn } from '../support/cases.ts';
import { type Poll, type Polling, pollsOver } from '../support/polling.ts';
import type { SimulatedNode } from '../support/simulated-node.ts';

const start = 1_790_000_000;

const node = (over: Partial<SimulatedNode> & { every?: number } = {}): SimulatedNode => ({
  period: () => over.every ?? 30,
  firstRun: start - 1000.37,
  durations: { network: 0.001, P: 0.02 },
  skew: 0,
  ...over,
});

const polls = (of: SimulatedNode, seconds: number, over: Partial<Polling> = {}): readonly [Poll, ...Poll[]] =>
  pollsOver(of, { configured: 30, start, seconds, ...over });

const inferred = (all: readonly Poll[]): number | undefined => all.at(-1)?.tracking.interval.inferred;

const missed = (all: readonly Poll[]): number => all.reduce((sum, poll) => sum + poll.missed, 0);

describe('the check interval of the node', () => {
  test.each([
    { every: 30, configured: 30 },
    { every: 5, configured: 30 },
    { every: 300, configured: 30 },
    { every: 3, configured: 30 },
    { every: 7, configured: 30 },
    { every: 45, configured: 30 },
    { every: 1, configured: 1 },
    { every: 1, configured: 30 },
    { every: 1.2, configured: 30 },
    { every: 1.5, configured: 30 },
    { every: 1.3, configured: 3600 },
    { every: 10, configured: 1 },
    { every: 3600, configured: 60 },
    { every: 3600, configured: 1 },
  ])('is inferred as $every s with $configured s configured', ({ every, configured }) => {
    expect(inferred(polls(node({ every }), Math.max(12 * every, 600), { configured }))).toBeCloseTo(every, 1);
  });

  test.each(
    [0.2, 0.25, 0.3, 1 / 3, 0.4, 0.45, 0.48, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97].flatMap((every) =>
      [1, 30].map((configured) => ({ every, configured })),
    ),
  )('is found to be below a second within 30 s at any phase: $every s with $configured s configured', ({ every, configured }) => {
    for (const phase of drawn([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])) {
      const fast = node({ every, firstRun: start - (10 + phase) * every, durations: { network: 0.001, P: 0.002 } });
      for (const roundTrip of [0.002, 0.2]) {
        const all = polls(fast, 30, { configured, roundTrip });
        expect(all.at(-1)?.tracking.interval, `phase ${phase}`).toMatchObject({ learning: false, subsecondSigns: 2 });
        expect(inferred(all)).toBeUndefined();
        expect(missed(all)).toBeLessThanOrEqual(1);
      }
    }
  });

  test.each([1, 1.1, 1.35])('is inferred to a tenth if it is %s s and each run is up to 80 ms late', (every) => {
    // Like Go's ticker: a late run does not shift the following ones.
    const lateness = (run: number): number => 0.08 * Math.abs(Math.sin(run * 997));
    const period = (at: number): number => {
      const run = Math.floor((at - start + 1000) / every);
      return (run + 1) * every + lateness(run + 1) - (at - start + 1000);
    };
    const all = polls(node({ period, firstRun: start - 1000 + lateness(0) }), 900, { configured: 1 });
    const known = all.filter(({ sentAt }) => sentAt > start + 30).map(({ tracking }) => tracking.interval.inferred ?? 0);
    expect(Math.min(...known)).toBeGreaterThan(0.9 * every);
    expect(Math.max(...known)).toBeLessThan(1.1 * every);
  });

  test('is inferred again when a node stops checking more than once a second', () => {
    const changed = start + 200;
    const simulated = node({ period: (at) => (at < changed ? 0.5 : 20), firstRun: start });
    expect(inferred(polls(simulated, 190))).toBeUndefined();
    expect(inferred(polls(simulated, 900))).toBeCloseTo(20, 1);
  });

  test('is found to be below a second for any interval up to 0.97 s', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.15, max: 0.97, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(1, 30),
        (every, phase, configured) => {
          const fast = node({ every, firstRun: start - (10 + phase) * every, durations: { network: 0.001, P: 0.002 } });
          expect(inferred(polls(fast, 60, { configured }))).toBeUndefined();
        },
      ),
      { numRuns: cases(40) },
    );
  });

  test('is inferred for any interval, phase, skew and round trip', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 400, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: -700, max: 700, noNaN: true }),
        fc.double({ min: 0.0005, max: 0.2, noNaN: true }),
        fc.boolean(),
        (every, phase, configured, skew, roundTrip, undated) => {
          const simulated = node({ every, firstRun: start - 3 * every - phase * every, skew, undated });
          const found = inferred(polls(simulated, 50 * every + 10 * configured, { configured, roundTrip }));
          expect(found).toBeGreaterThan(every * 0.95);
          expect(found).toBeLessThan(every * 1.05);
        },
      ),
      { numRuns: cases(50) },
    );
  });

  test('follows a node that restarted with another interval', () => {
    const changed = start + 600;
    const simulated = node({ period: (at) => (at < changed ? 5 : 20) });
    expect(inferred(polls(simulated, 500))).toBeCloseTo(5, 1);
    expect(inferred(polls(simulated, 1200))).toBeCloseTo(20, 1);
  });

  test('is corrected when a node starts to check twice as often', () => {
    const simulated = node({ period: (at) => (at < start + 600 ? 20 : 10) });
    expect(inferred(polls(simulated, 2400))).toBeCloseTo(10, 1);
  });

  test.each<{ readonly runs: string; readonly period: (at: number) => number }>([
    { runs: 'every 5 s', period: () => 5 },
    { runs: 'every 5 s, each up to 0.3 s early or late', period: (at) => 5 + 0.3 * Math.sin(at * 997) },
  ])('lets 95 % of run results be known within 1 s: runs $runs', ({ period }) => {
    const simulated = node({ period, durations: { network: 0.001, P: 0.2, plugin: 0.064 } });
    const delays = polls(simulated, 600).flatMap(({ delay }) => delay ?? []);
    expect(delays.length).toBeGreaterThan(100);
    expect(delays.filter((delay) => delay <= 1).length / delays.length).toBeGreaterThanOrEqual(0.95);
  });

  test('needs little more than one poll per run once it is known', () => {
    const late = polls(node({ every: 30 }), 30 * 120).filter(({ sentAt }) => sentAt > start + 30 * 20);
    expect(late.length).toBeLessThanOrEqual(100 * 1.25);
    expect(late.length).toBeGreaterThanOrEqual(99);
  });
});

describe('runs that no poll saw', () => {
  test('do not occur when every run could be polled', () => {
    expect(missed(polls(node({ every: 5 }), 600, { configured: 5 }))).toBe(0);
  });

  test('are counted when polling was impossible', () => {
    const simulated = node({ every: 5, answers: (at) => at < start + 300 || at > start + 360 });
    const found = missed(polls(simulated, 600, { configured: 5 }));
    expect(found).toBeGreaterThanOrEqual(10);
    expect(found).toBeLessThanOrEqual(13);
  });

  test('are not counted for a frozen worker, which takes at most six extra polls', () => {
    const simulated = node({ period: (at) => (at > start + 300 && at < start + 310 ? 600 : 5) });
    const all = polls(simulated, 1200, { configured: 5 });
    const frozen = all.filter(({ sentAt }) => sentAt > start + 320 && sentAt < start + 900);
    expect(frozen.length).toBeLessThanOrEqual(580 / 5 + 7);
    expect(missed(all)).toBe(0);
    expect(inferred(all)).toBeCloseTo(5, 1);
  });
});

describe('the clock of the node', () => {
  test.each([0, 0.4, -0.7, 600, -600, 3.21])('%s s ahead is known to a tenth of a second', (skew) => {
    const known = skewOf(polls(node({ every: 5, skew }), 300, { configured: 5 }).at(-1)?.tracking.clock ?? never);
    expect(known).toBeGreaterThan(skew - 0.1);
    expect(known).toBeLessThan(skew + 0.1);
  });
});

const never = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, at: 0 };

describe('polls', () => {
  test.each([1, 7, 45, 3600])('are %i s apart while nothing is known about the node', (configured) => {
    const all = polls(node({ answers: () => false }), configured * 20, { configured });
    const apart = all.slice(1).map(({ sentAt }, at) => sentAt - (all[at]?.sentAt ?? 0));
    expect(Math.max(...apart)).toBeCloseTo(configured, 3);
    expect(Math.min(...apart)).toBeCloseTo(configured, 3);
  });

  test('are 1 s apart in the first minute without a process, then further apart until the next one has reported', () => {
    const all = polls(node({ every: 30, restarts: [{ at: start + 300, down: 200 }] }), 650);
    const gone = all.filter(({ recoveryDelay }) => recoveryDelay !== undefined);
    expect(gone.length).toBeGreaterThan(5);
    for (const { endedAt, due } of gone.slice(0, 50)) expect(due).toBe(endedAt + 1);
    const longest = Math.max(...gone.map(({ endedAt, due }) => due - endedAt));
    expect(longest).toBeGreaterThan(2.5);
    expect(longest).toBeLessThan(3.5);
    expect(all.at(-1)).toMatchObject({ recoveryDelay: undefined, restarts: 1 });
  });
});
