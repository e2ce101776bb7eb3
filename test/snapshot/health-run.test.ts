import { describe, expect, test } from 'vitest';
import { newestRun, newestTimestamp } from '../../src/snapshot/health-run.ts';
import { noon, passing, report } from '../support/snapshot.ts';

const hours = 3600;

describe('the newest run of a report', () => {
  test('has the checks that started together, whenever they ended', () => {
    const checks = { quick: passing({ timestamp: noon, duration: 0 }), slow: passing({ timestamp: noon + 4, duration: 4 }) };
    expect(newestRun(report(checks))).toEqual({ start: noon, firstResult: noon, end: noon + 4, complete: true });
  });

  test('is incomplete while a check that ran before has no result in it', () => {
    const checks = { quick: passing({ timestamp: noon, duration: 0 }), hung: passing({ timestamp: noon - 30, duration: 0 }) };
    expect(newestRun(report(checks))).toEqual({ start: noon, firstResult: noon, end: noon, complete: false });
  });

  test('does not wait for a check that never ran, and is absent if none ran', () => {
    const never = passing({ timestamp: 'never' });
    expect(newestRun(report({ a: passing({ timestamp: noon, duration: 0 }), never }))?.complete).toBe(true);
    expect(newestRun(report({ never }))).toBeUndefined();
    expect(newestTimestamp(report({ never }))).toBeUndefined();
  });

  test('is found in a report of 300,000 checks', () => {
    const many = Object.fromEntries(
      Array.from({ length: 300_000 }, (_, at) => [`check ${at}`, passing({ timestamp: noon, duration: 0 })]),
    );
    expect(newestRun(report({ ...many, last: passing({ timestamp: noon + 1, duration: 1 }) }))).toMatchObject({
      start: noon,
      end: noon + 1,
      complete: true,
    });
    expect(newestTimestamp(report(many))).toBe(noon);
  });

  test('is the one that started last, although another may have the newest timestamp', () => {
    const checks = {
      long: passing({ timestamp: noon + 5, duration: 3 * hours }),
      quick: passing({ timestamp: noon, duration: 0 }),
    };
    expect(newestRun(report(checks))).toMatchObject({ start: noon, end: noon, complete: false });
    expect(newestTimestamp(report(checks))).toBe(noon + 5);
  });
});
