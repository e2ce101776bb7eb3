// When jobs run: on a clock that is never set, independently, and at once on request.

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import type { PollCause } from '../../src/poller/ask.ts';
import { createScheduler, type Scheduler } from '../../src/poller/scheduler.ts';
import { ownCpu } from '../support/own-cpu.ts';

const now = (): number => performance.now() / 1000;

afterEach(() => {
  vi.useRealTimers();
});

const scheduler = (): Scheduler => {
  const stop = new AbortController();
  const made = createScheduler({ now, log: silentLog, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await made.finished;
  });
  return made;
};

/** A job that records each run and lasts as long as it is held. */
const recorded = (every: number) => {
  const runs: { readonly at: number; readonly cause: PollCause }[] = [];
  let held: Promise<void> = Promise.resolve();
  let heard: () => void = () => undefined;
  return {
    runs,
    job: {
      firstDue: now(),
      run: async (_: number, cause: PollCause): Promise<number> => {
        runs.push({ at: now(), cause });
        heard();
        await held;
        return now() + every;
      },
    },
    reached: async (count: number): Promise<void> => {
      while (runs.length < count)
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
    },
    /** Keeps runs from ending until the returned function is called. */
    hold: (): (() => void) => {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
};

describe('a wall clock', () => {
  test.each([
    { set: 'back by two hours', by: -7200 },
    { set: 'forward by two hours', by: 7200 },
  ])('that is set $set stops no job and no tick', async ({ by }) => {
    const { add, lastTick } = scheduler();
    const { job, runs, reached } = recorded(1.2);
    add('node', job);
    await reached(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + by * 1000 });
    const before = lastTick();
    await reached(4);
    const apart = runs.slice(1).map(({ at }, nth) => at - (runs[nth]?.at ?? 0));
    expect(Math.min(...apart)).toBeGreaterThan(1.1);
    expect(lastTick()).toBeGreaterThan(before);
  });

  test('that is set forward by a week causes no delay', () => {
    vi.useFakeTimers({ now: new Date('2026-01-01T00:00:30Z') });
    const { lastTick } = scheduler();
    vi.setSystemTime(new Date('2026-01-08T00:00:30Z'));
    const before = ownCpu();
    vi.advanceTimersByTime(90_000);
    // This takes a second, or minutes if each skipped second is visited.
    expect(ownCpu() - before).toBeLessThan(30);
    expect(lastTick()).toBeGreaterThan(0);
  });
});

describe('a job', () => {
  test('with a due time that is long past or NaN runs again a second after its start', async () => {
    const { add } = scheduler();
    const { job, runs, reached } = recorded(Number.NaN);
    add('node', job);
    await reached(3);
    for (const [nth, { at }] of runs.slice(1).entries()) expect(at - (runs[nth]?.at ?? 0)).toBeGreaterThan(0.95);
  });

  test('that is requested runs at once', async () => {
    const { add, runNow } = scheduler();
    const { job, runs, reached } = recorded(3600);
    add('node', job);
    await reached(1);
    await Promise.resolve();
    runNow('node', 'closed');
    await reached(2);
    expect(runs.map(({ cause }) => cause)).toEqual(['due', 'closed']);
  });

  test('that is requested during a run runs again afterwards, never twice at once', async () => {
    const { add, runNow } = scheduler();
    const { job, runs, reached, hold } = recorded(3600);
    const release = hold();
    add('node', job);
    await reached(1);
    runNow('node', 'closed');
    runNow('node', 'closed');
    expect(runs).toHaveLength(1);
    release();
    await reached(2);
    expect(runs.map(({ cause }) => cause)).toEqual(['due', 'closed']);
  });

  test('that a probe requests during a run does not run again, because the result of the current run is new', async () => {
    const { add, runNow } = scheduler();
    const { job, runs, reached, hold } = recorded(3600);
    const other = recorded(3600);
    const release = hold();
    add('node', job);
    add('other', { ...other.job, firstDue: now() + 3600 });
    await reached(1);
    runNow('node', 'probed');
    release();
    await yieldToEventLoop();
    // Runs wait in one queue: a second run of the node would start before this one.
    runNow('other', 'closed');
    await other.reached(1);
    expect(runs).toHaveLength(1);
    runNow('node', 'probed');
    await reached(2);
    expect(runs.map(({ cause }) => cause)).toEqual(['due', 'probed']);
  });

  test('that is requested because of a closed connection keeps this cause, also if a probe requests it', async () => {
    const { add, runNow } = scheduler();
    const { job, runs, reached, hold } = recorded(3600);
    const release = hold();
    add('node', job);
    await reached(1);
    runNow('node', 'closed');
    runNow('node', 'probed');
    release();
    await reached(2);
    // The last request was just now, so this one waits for a second.
    await yieldToEventLoop();
    runNow('node', 'closed');
    runNow('node', 'probed');
    await reached(3);
    expect(runs.map(({ cause }) => cause)).toEqual(['due', 'closed', 'closed']);
  });

  test('that is requested repeatedly runs once a second', async () => {
    const { add, runNow } = scheduler();
    const { job, runs, reached } = recorded(3600);
    add('node', job);
    await reached(1);
    for (let asked = 0; asked < 3; asked += 1) {
      const before = runs.length;
      // A job that waits for its turn starts later than requested.
      await yieldToEventLoop();
      await yieldToEventLoop();
      runNow('node', 'closed');
      runNow('node', 'closed');
      await reached(before + 1);
    }
    const [, first, second, third] = runs;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(0.95);
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThan(0.95);
  });

  test('that was removed does not run again, even if requested', async () => {
    const { add, remove, runNow } = scheduler();
    const gone = recorded(0);
    const other = recorded(1);
    add('gone', gone.job);
    add('other', other.job);
    await gone.reached(1);
    runNow('gone', 'closed');
    remove('gone');
    runNow('gone', 'closed');
    const { length } = gone.runs;
    await other.reached(3);
    expect(gone.runs).toHaveLength(length);
  });
});

test('many jobs due at the same time start one per turn of the event loop, in order', async () => {
  const { add } = scheduler();
  const begun: number[] = [];
  const turns: number[] = [];
  const due = now();
  for (let nth = 0; nth < 5; nth += 1)
    add(`${nth}`, {
      firstDue: due,
      run: async () => {
        begun.push(nth);
        return due + 3600;
      },
    });
  while (begun.length < 5) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    turns.push(begun.length);
  }
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  for (const [nth, count] of turns.entries()) expect(count - (turns[nth - 1] ?? 0)).toBeLessThanOrEqual(1);
});

test('a job that is removed while it waits for its turn does not start', async () => {
  const { add, remove, runNow } = scheduler();
  const [first, second] = [recorded(3600), recorded(3600)];
  add('first', { ...first.job, firstDue: now() + 3600 });
  add('second', { ...second.job, firstDue: now() + 3600 });
  runNow('first', 'closed');
  runNow('second', 'closed');
  expect(second.runs).toEqual([]);
  remove('second');
  await new Promise<void>((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect([first.runs.length, second.runs.length]).toEqual([1, 0]);
});
