// The time of one question, on a machine that stands still: every timer that is due fires in the turn after it, before any answer.

import { expect, onTestFinished, test, vi } from 'vitest';
import { maxCrowdedMs, startDeadline } from '../../src/client/deadline.ts';

const waiting = (isForOthers: () => boolean) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const expired: boolean[] = [];
  const deadline = startDeadline(60_000, { progress: () => 0, isCrowded: () => false }, (isCrowded) => expired.push(isCrowded));
  deadline.waits(isForOthers);
  return { deadline, expired };
};

test('who waits for the answers of other nodes is not given up after one stall, and is when they take too long', () => {
  const { expired } = waiting(() => true);
  // The only one that a stall of any length lets fire.
  vi.advanceTimersToNextTimer();
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(maxCrowdedMs);
  expect(expired).toEqual([true]);
});

test('who waits for an answer of its own node waits on, until it has ended', () => {
  const { deadline, expired } = waiting(() => false);
  vi.advanceTimersByTime(10 * maxCrowdedMs);
  expect(expired).toEqual([]);
  deadline.end();
  expect(vi.getTimerCount()).toBe(0);
});
