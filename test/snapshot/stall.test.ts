// When checks count as frozen, which check is suspected, and until when a page may show them as running.

import { describe, expect, test } from 'vitest';
import type { HealthReport } from '../../src/protocol/health.ts';
import { unknownInterval } from '../../src/snapshot/check-interval.ts';
import { noProgress, observeProgress } from '../../src/snapshot/progress.ts';
import { measuredStall, movingUntil, type Stalling, stallAt } from '../../src/snapshot/stall.ts';
import { trueUntil } from '../../src/sources/stall.ts';
import { fresh, measuredInterval, noon, passing, report, stillSince, targetKnowing, targetOptions } from '../support/snapshot.ts';

const still = (over: Partial<Stalling> = {}): Stalling => ({
  report: report({ P: passing() }),
  reportAt: noon,
  progress: stillSince(noon - 80, 3),
  interval: measuredInterval(30),
  configured: 30,
  frozenAfter: 3,
  ...over,
});

describe('checks that have not advanced', () => {
  test('are frozen after more than three check intervals', () => {
    expect(stallAt(still(), noon + 10)?.frozen).toBe(false);
    expect(stallAt(still(), noon + 10.001)?.frozen).toBe(true);
  });

  test('are not judged while the API does not respond', () => {
    expect(stallAt(still({ report: undefined }), noon + 60)).toBeUndefined();
  });

  test('are not frozen because the exporter stalled: a poll counts for one interval only', () => {
    const moved = still({ progress: stillSince(noon, 0) });
    expect(stallAt(moved, noon + 100_000)?.frozen).toBe(false);
  });

  test.each([
    { when: 'is settled', over: {}, limit: 90 },
    { when: 'is inferred again', over: { learning: true }, limit: 900 },
    { when: 'rests on one distance', over: { measured: [30] }, limit: 900 },
    { when: 'rests on one long distance', over: { measured: [400], inferred: 400 }, limit: 1200 },
    { when: 'is inferred again and a longer distance was seen', over: { learning: true, apart: 500 }, limit: 1500 },
    { when: 'is inferred again after hours without an answer', over: { learning: true, apart: 9000 }, limit: 10_800 },
  ])('are frozen after $limit s when the interval $when', ({ over, limit }) => {
    const at = (since: number) => stallAt(still({ interval: measuredInterval(30, over), progress: stillSince(since, 9) }), noon);
    expect(at(noon - limit)?.frozen).toBe(false);
    expect(at(noon - limit - 1)?.frozen).toBe(true);
  });

  test.each([
    { configured: 30, limit: 900 },
    { configured: 600, limit: 1800 },
  ])('are frozen after $limit s when no interval was measured and $configured s are configured', ({ configured, limit }) => {
    const unmeasured = { configured, interval: unknownInterval(configured), reportAt: noon };
    expect(stallAt(still({ ...unmeasured, progress: stillSince(noon - limit, 9) }), noon)?.frozen).toBe(false);
    expect(stallAt(still({ ...unmeasured, progress: stillSince(noon - limit - 1, 9) }), noon)?.frozen).toBe(true);
  });

  test('are no reason for a restart until an interval was measured and a check has advanced', () => {
    const long = stillSince(noon - 9000, 300);
    expect(measuredStall(still({ progress: long }), noon)).toEqual({ since: noon - 9000, intervals: 300, polls: 300 });
    expect(measuredStall(still({ progress: long, interval: unknownInterval(30) }), noon)).toBeUndefined();
    expect(measuredStall(still({ progress: long, interval: measuredInterval(30, { learning: true }) }), noon)).toBeUndefined();
    expect(measuredStall(still({ progress: { ...long, basis: 'date' } }), noon)).toBeUndefined();
  });
});

describe('the first poll', () => {
  const firstObservation = (checks: HealthReport, date: number | undefined, configured = 30): Stalling => {
    const stamped = { sentAt: noon - 0.01, endedAt: noon, ...(date !== undefined && { date }) };
    const progress = observeProgress(noProgress, undefined, checks, stamped);
    return still({ report: checks, progress, interval: unknownInterval(configured), configured });
  };
  const ran = (...ago: readonly number[]): HealthReport =>
    report(Object.fromEntries(ago.map((seconds, at) => [`check ${at}`, passing({ timestamp: noon - seconds })])));

  test.each([
    { is: 'fresh', ago: [10], date: noon, configured: 30, frozen: false },
    { is: '15 minutes old to the second', ago: [900], date: noon, configured: 30, frozen: false },
    { is: 'older than 15 minutes', ago: [901], date: noon, configured: 30, frozen: true },
    { is: 'older than 15 minutes except for one check', ago: [9000, 10], date: noon, configured: 30, frozen: false },
    { is: 'not yet three configured intervals old', ago: [1800], date: noon, configured: 601, frozen: false },
    {
      is: 'too old on a node clock that is two hours ahead',
      ago: [901 - 7200],
      date: noon + 7200,
      configured: 30,
      frozen: true,
    },
    { is: 'newer than its Date header, as after a clock set back', ago: [10], date: noon - 7200, configured: 30, frozen: false },
  ])('with a report that is $is: frozen $frozen', ({ ago, date, configured, frozen }) => {
    expect(stallAt(firstObservation(ran(...ago), date, configured), noon)?.frozen).toBe(frozen);
  });

  test('reports since when, on our clock', () => {
    expect(stallAt(firstObservation(ran(901 - 7200), noon + 7200), noon)?.since).toBe(noon - 901);
  });

  test('gives no result for a report in which nothing has run', () => {
    const never = report({ P: passing({ timestamp: 'never' }) });
    expect(stallAt(firstObservation(never, noon), noon)).toBeUndefined();
    expect(stallAt(firstObservation(report({}), noon), noon)).toBeUndefined();
  });

  test('without a Date header gives no result until our clock has waited as long', () => {
    const first = firstObservation(ran(9000), undefined);
    expect(stallAt(first, noon)).toBeUndefined();
    expect(movingUntil(first, noon)).toBe(noon + 900);
    const later = { ...first, reportAt: noon + 890 };
    expect(stallAt(later, noon + 900)).toBeUndefined();
    expect(stallAt(later, noon + 901)).toMatchObject({ frozen: true, since: noon });
  });

  test('no longer counts once a timestamp has advanced', () => {
    const { progress } = firstObservation(ran(9000), noon);
    const moved = observeProgress(progress, ran(9000), ran(-1), { sentAt: noon + 4, endedAt: noon + 5, date: noon + 5 });
    expect(stallAt(still({ progress: moved, interval: unknownInterval(30), reportAt: noon + 5 }), noon + 5)).toMatchObject({
      frozen: false,
      since: noon + 5,
    });
  });
});

describe('a page', () => {
  const target = (progress: Stalling['progress'], interval = measuredInterval(30)) =>
    targetKnowing(targetOptions(), { health: { all: fresh(report({ P: passing() }), noon) }, progress, interval });

  test('that shows running checks is valid until the frozen limit if that comes first', () => {
    const page = target(stillSince(noon - 80, 3));
    expect(movingUntil(still(), noon)).toBe(noon + 10);
    expect(trueUntil(page, noon)).toBe(noon + 10);
    expect(trueUntil(page, noon + 10.001)).toBe(noon + 90);
  });

  test('that is based on the first poll is valid until that may be frozen', () => {
    expect(trueUntil(target({ basis: 'date', since: noon - 880, quietPolls: 0 }, unknownInterval(30)), noon)).toBe(noon + 20);
  });
});

describe('the suspect', () => {
  test.each([
    { is: 'the check that lags behind the run', checks: { a: 0, hung: -30, b: 0.001 }, suspect: 'hung' },
    { is: 'the one that lags longest', checks: { a: 0, late: -30, later: -60 }, suspect: 'later' },
    { is: 'one that never ran if none lags', checks: { a: 0, b: 0.001, never: undefined }, suspect: 'never' },
    { is: 'the oldest of the run if all have run', checks: { b: 0.002, a: 0.001 }, suspect: 'a' },
  ])('is $is', ({ checks, suspect }) => {
    const results = Object.entries(checks).map(
      ([name, at]) => [name, passing({ timestamp: at === undefined ? 'never' : noon - 100 + at })] as const,
    );
    expect(stallAt(still({ report: report(Object.fromEntries(results)) }), noon + 20)).toMatchObject({ frozen: true, suspect });
  });
});
