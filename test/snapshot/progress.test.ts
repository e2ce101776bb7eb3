import { describe, expect, test } from 'vitest';
import { noProgress, observeProgress, type Progress } from '../../src/snapshot/progress.ts';
import { noon, passing, report } from '../support/snapshot.ts';

const at = (seconds: number) => report({ a: passing({ timestamp: noon }), b: passing({ timestamp: noon + seconds }) });
const never = report({ a: passing({ timestamp: 'never' }) });
const poll = { sentAt: noon + 99, endedAt: noon + 100 };
const before: Progress = { basis: 'date', since: noon, quietPolls: 7 };

describe('the progress of the checks', () => {
  test.each([
    { after: 'a newer timestamp', report: at(30), advances: true },
    { after: 'an older one: the clock was set back', report: at(-7200), advances: true },
    { after: 'the same timestamps', report: at(0), advances: false },
    { after: 'a check that disappeared', report: report({ a: passing({ timestamp: noon }) }), advances: false },
  ])('advances after $after: $advances', ({ report: next, advances }) => {
    expect(observeProgress(before, at(0), next, poll)).toEqual(
      advances ? { basis: 'advance', since: noon + 100, quietPolls: 0 } : { ...before, quietPolls: 8 },
    );
  });

  test('starts when the first check of a new process has run', () => {
    const young = observeProgress(noProgress, undefined, never, { ...poll, date: noon + 100 });
    expect(young).toEqual({ basis: 'first-report', quietPolls: 0 });
    expect(observeProgress(young, never, at(0), poll)).toMatchObject({ basis: 'advance', since: noon + 100 });
  });

  test('of a process that was not polled yet is not taken from the previous one', () => {
    expect(observeProgress(noProgress, at(0), at(30), { ...poll, date: noon + 100 })).toEqual({
      basis: 'date',
      since: noon + 30,
      quietPolls: 0,
    });
  });
});
