import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { skewOf } from '../../src/snapshot/clock.ts';
import { total } from '../../src/snapshot/histogram.ts';
import { polling, type SimulatedNode } from '../support/simulated-node.ts';

const start = 1_790_000_000;

const node = (over: Partial<SimulatedNode> & { every?: number } = {}): SimulatedNode => ({
  period: () => over.every ?? 30,
  firstRound: start - 1000.37,
  durations: { network: 0.001, P: 0.02 },
  skew: 0,
  ...over,
});

describe('the cadence of the node', () => {
  test.each([
    { every: 30, configured: 30 },
    { every: 5, configured: 30 },
    { every: 300, configured: 30 },
    { every: 3, configured: 30 },
    { every: 7, configured: 30 },
    { every: 45, configured: 30 },
    { every: 1, configured: 1 },
    { every: 1, configured: 30 },
    { every: 10, configured: 1 },
    { every: 3600, configured: 60 },
  ])('every $every s is learnt where $configured s is configured', ({ every, configured }) => {
    const { target } = polling(node({ every }), { healthCheckFrequency: configured }, start, Math.max(12 * every, 600));
    expect(target.cadence.inferred).toBeCloseTo(every, 1);
  });

  test('is learnt for any period, phase, skew and round trip', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 400, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: -700, max: 700, noNaN: true }),
        fc.double({ min: 0.0005, max: 0.2, noNaN: true }),
        (every, phase, configured, skew, roundTrip) => {
          const simulated = node({ every, firstRound: start + skew - 3 * every - phase * every, skew });
          const { target } = polling(
            simulated,
            { healthCheckFrequency: configured },
            start,
            50 * every + 10 * configured,
            roundTrip,
          );
          expect(target.cadence.inferred).toBeGreaterThan(every * 0.95);
          expect(target.cadence.inferred).toBeLessThan(every * 1.05);
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);

  test('a node restarted with another frequency is followed', () => {
    const changed = start + 600;
    const simulated = node({ period: (at) => (at < changed ? 5 : 20) });
    expect(polling(simulated, {}, start, 500).target.cadence.inferred).toBeCloseTo(5, 1);
    expect(polling(simulated, {}, start, 1200).target.cadence.inferred).toBeCloseTo(20, 1);
  });

  test('a node that begins to check twice as often is found out', () => {
    const changed = start + 600;
    const simulated = node({ period: (at) => (at < changed ? 20 : 10) });
    expect(polling(simulated, {}, start, 2400).target.cadence.inferred).toBeCloseTo(10, 1);
  });

  test.each<{ readonly rounds: string; readonly period: (at: number) => number }>([
    { rounds: 'every 5 s', period: () => 5 },
    { rounds: 'every 5 s, each up to 0.3 s early or late', period: (at) => 5 + 0.3 * Math.sin(at * 997) },
  ])('the result of a round is known at most 1 s after it ended, 95 times in 100: rounds $rounds', ({ period }) => {
    const simulated = node({ period, durations: { network: 0.001, P: 0.2, plugin: 0.064 } });
    const { target } = polling(simulated, { healthCheckFrequency: 30 }, start, 600);
    const { bounds, counts } = target.detectionDelay;
    const within = counts.slice(0, bounds.indexOf(1) + 1).reduce((sum, count) => sum + count, 0);
    expect(total(target.detectionDelay)).toBeGreaterThan(100);
    expect(within / total(target.detectionDelay)).toBeGreaterThanOrEqual(0.95);
  });

  test('once known, a node is asked little more than once a round', () => {
    const simulated = node({ every: 30 });
    const { looks } = polling(simulated, {}, start, 30 * 120);
    const late = looks.filter((at) => at > start + 30 * 20);
    expect(late.length).toBeLessThanOrEqual(100 * 1.25);
    expect(late.length).toBeGreaterThanOrEqual(99);
  });

  test('no round is missed that a poll could have seen', () => {
    const { target } = polling(node({ every: 5 }), { healthCheckFrequency: 5 }, start, 600);
    expect(target.missedRuns).toBe(0);
  });

  test('rounds that went by while nobody could ask are counted as missed', () => {
    const simulated = node({ every: 5, answers: (at) => at < start + 300 || at > start + 360 });
    const { target } = polling(simulated, { healthCheckFrequency: 5 }, start, 600);
    expect(target.missedRuns).toBeGreaterThanOrEqual(10);
    expect(target.missedRuns).toBeLessThanOrEqual(13);
  });

  test('a frozen worker is asked no more often than six times beyond its cadence, and its rounds are not missed ones', () => {
    const simulated = node({ period: (at) => (at > start + 300 && at < start + 310 ? 600 : 5) });
    const { target, looks } = polling(simulated, { healthCheckFrequency: 5 }, start, 1200);
    const frozen = looks.filter((at) => at > start + 320 && at < start + 900);
    expect(frozen.length).toBeLessThanOrEqual(580 / 5 + 7);
    expect(target.missedRuns).toBe(0);
    expect(target.cadence.inferred).toBeCloseTo(5, 1);
  });
});

describe('the clock of the node', () => {
  test.each([0, 0.4, -0.7, 600, -600, 3.21])('%s s ahead is known to a tenth of a second', (skew) => {
    const { target } = polling(node({ every: 5, skew }), { healthCheckFrequency: 5 }, start, 300);
    expect(skewOf(target.clock)).toBeGreaterThan(skew - 0.1);
    expect(skewOf(target.clock)).toBeLessThan(skew + 0.1);
  });
});

describe('an even cadence', () => {
  test.each([1, 7, 45, 3600])('of %i s is kept while nothing is known of the node', (configured) => {
    const { looks } = polling(node({ answers: () => false }), { healthCheckFrequency: configured }, start, configured * 20);
    const apart = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(Math.max(...apart)).toBeCloseTo(configured, 3);
    expect(Math.min(...apart)).toBeCloseTo(configured, 3);
  });
});
