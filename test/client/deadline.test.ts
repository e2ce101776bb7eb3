// The deadline of a request on a machine that stalls: all due timers fire together afterwards, before any response.

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
