// One number that tells two processes apart, however often and whenever each is polled and scraped.

import { describe, expect, test } from 'vitest';
import { health } from '../../../src/sources/health/health.ts';
import { markEvery, type RunMark, runMarkAfter } from '../../../src/sources/health/run-mark.ts';
import { richTarget } from '../../support/rich.ts';
import { passing, report } from '../../support/snapshot.ts';

const start = 1000 * markEvery;

/** The mark after each observed run. */
const marksOf = (runs: readonly number[], interval = 30): readonly (number | undefined)[] => {
  let mark: RunMark | undefined;
  return runs.map((timestamp) => {
    mark = runMarkAfter(mark, report({ b: passing({ timestamp: timestamp + 1 }), a: passing({ timestamp }) }), interval);
    return mark?.mark;
  });
};

describe('the mark of a process', () => {
  const runs = Array.from({ length: 40 }, (_, nth) => start - 100.25 + 30 * nth);
  const firsts = runs.filter((run, nth) => nth > 0 && Math.floor(run / markEvery) > Math.floor((runs[nth - 1] ?? 0) / markEvery));

  test('is the end of the first check of the first run in each period, once a period was seen to begin', () => {
    expect([...new Set(marksOf(runs))]).toEqual([undefined, ...firsts]);
  });

  test('is the same for an exporter that started later', () => {
    expect(marksOf(runs.slice(7)).at(-1)).toBe(marksOf(runs).at(-1));
  });

  test('is absent only for the period whose first run was missed', () => {
    const missed = runs.filter((run) => run !== firsts[1]);
    const seen = marksOf(missed);
    expect([...new Set(seen)]).toEqual([undefined, ...firsts.filter((run) => run !== firsts[1])]);
    expect(seen[missed.findIndex((run) => run > (firsts[1] ?? 0))]).toBeUndefined();
  });

  test('stays when a run within the period is missed or seen again', () => {
    const within = runs.filter((run) => run < (firsts[1] ?? 0));
    const first = within.indexOf(firsts[0] ?? 0);
    const seen = [...within.slice(0, first + 1), ...within.slice(first + 3).flatMap((run) => [run, run])];
    expect(marksOf(seen).at(-1)).toBe(firsts[0]);
  });

  test('is reset when the node clock goes back', () => {
    expect(marksOf([...runs, start])).toEqual([...marksOf(runs), undefined]);
  });

  test('is absent while no check has run', () => {
    expect(runMarkAfter({ lastRun: start, mark: start }, report({ a: passing({ timestamp: 'never' }) }), 30)).toBeUndefined();
  });

  test('is kept when a reload or a found subnet changes the tag sets', () => {
    const { options, sources } = richTarget();
    expect(sources.health.runMark?.mark).toBeDefined();
    const tagSets = [...options.tagSets, { name: 'other', tags: ['other'] }];
    expect(health.start({ ...options, tagSets }, sources.health).runMark).toEqual(sources.health.runMark);
  });
});
