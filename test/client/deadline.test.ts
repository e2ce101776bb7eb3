// The deadline of a request on a machine that stalls: all due timers fire together afterwards, before any response.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { maxCrowdedMs, startDeadline } from '../../src/client/deadline.ts';
import { yieldToEventLoop } from '../../src/pause.ts';

const timeoutMs = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** `progress`: the number of other requests that have ended. */
const starting = (progress: () => number = () => 0) => {
  const expired: boolean[] = [];
  const deadline = startDeadline(timeoutMs, { progress, isCrowded: () => false }, (isCrowded) => expired.push(isCrowded));
  return { deadline, expired };
};

const waiting = (isForOthers: () => boolean) => {
  const { deadline, expired } = starting();
  deadline.waits(isForOthers);
  return { deadline, expired };
};

test('a request that waits for other nodes survives one stall, and is given up when they take too long', () => {
  const { expired } = waiting(() => true);
  // The only timer that a stall of any length makes fire.
  vi.advanceTimersToNextTimer();
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(maxCrowdedMs);
  expect(expired).toEqual([true]);
});

test('a request that waits for a response of its own node waits until that ends', () => {
  const { deadline, expired } = waiting(() => false);
  vi.advanceTimersByTime(10 * maxCrowdedMs);
  expect(expired).toEqual([]);
  deadline.end();
  expect(vi.getTimerCount()).toBe(0);
});

test('a queued request survives a stall if responses to the requests before it are read after that', async () => {
  let progress = 0;
  const { expired } = starting(() => progress);
  vi.advanceTimersByTime(timeoutMs);
  progress = 1;
  await yieldToEventLoop();
  vi.advanceTimersByTime(timeoutMs - 1);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  await yieldToEventLoop();
  expect(expired).toEqual([false]);
});

test('of requests that are late together, a queued one expires before the one that it waits for', async () => {
  const [sent, queued] = [starting(), starting()];
  sent.deadline.sent();
  vi.advanceTimersByTime(timeoutMs);
  await yieldToEventLoop();
  expect([sent.expired, queued.expired]).toEqual([[], [false]]);
  await yieldToEventLoop();
  expect(sent.expired).toEqual([false]);
});
