// Large responses are received a few at a time, the largest ones one at a time.

import { expect, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { maxCrowdedMs } from '../../src/client/deadline.ts';

const kibibyte = 1024;

/** Starts `count` responses of the size: those that began, and their shares. */
const begun = (count: number, bytes: number, restMs = 0) => {
  const budget = createBudget(restMs);
  const started: number[] = [];
  const shares = Array.from({ length: count }, (_, at) => {
    const share = budget.share();
    share.take(bytes, () => started.push(at));
    return share;
  });
  return { started, shares };
};

test.each([
  { size: 128, atOnce: 100 },
  { size: 129, atOnce: 8 },
  { size: 512, atOnce: 8 },
  { size: 513, atOnce: 1 },
])('at most $atOnce responses of $size KiB are received at once, and the others follow in order', ({ size, atOnce }) => {
  const { started, shares } = begun(100, size * kibibyte);
  const places = Array.from({ length: 100 }, (_, at) => at);
  expect(started).toEqual(places.slice(0, atOnce));
  for (const share of shares) share.release();
  expect(started).toEqual(places);
});

test('a response that is released while it waits leaves nothing behind', () => {
  const { started, shares } = begun(3, 2049 * kibibyte);
  shares[1]?.release();
  shares[0]?.release();
  expect(started).toEqual([0, 2]);
});

test('a pause follows each of the largest responses, but none follows one that never began', async () => {
  const { started, shares } = begun(3, 2049 * kibibyte, 20);
  shares[0]?.release();
  expect(started).toEqual([0]);
  shares[1]?.release();
  expect(started).toEqual([0]);
  await expect.poll(() => started).toEqual([0, 2]);
});

test('there is no pause between smaller responses', () => {
  const { started, shares } = begun(3, 2048 * kibibyte, 60_000);
  shares[0]?.release();
  expect(started).toEqual([0, 1]);
});

test('a growing response waits again at the next size step', () => {
  const budget = createBudget(0);
  const [one, other] = [budget.share(), budget.share()];
  one.take(2100 * kibibyte, () => undefined);
  expect({ small: other.holds(100 * kibibyte), middle: other.holds(200 * kibibyte) }).toEqual({ small: true, middle: false });
  let resumed = 0;
  const resume = (): void => {
    resumed += 1;
  };
  other.take(200 * kibibyte, resume);
  expect({ resumed, middle: other.holds(200 * kibibyte), large: other.holds(2100 * kibibyte) }).toEqual({
    resumed: 1,
    middle: true,
    large: false,
  });
  other.take(2100 * kibibyte, resume);
  expect(resumed).toBe(1);
  one.release();
  expect({ resumed, large: other.holds(2100 * kibibyte) }).toEqual({ resumed: 2, large: true });
});

/** A budget with its own clock and one client per node: which responses began, and which were ended for being slow. */
const timed = () => {
  let now = 0;
  let tick: (() => void) | undefined;
  const budget = createBudget(0, {
    now: () => now,
    every: (_, call) => {
      tick = call;
      return () => {
        tick = undefined;
      };
    },
  });
  const [began, ended]: [string[], string[]] = [[], []];
  return {
    began,
    ended,
    /** Starts a response of `size` KiB. */
    enter: (node: string, size: number) => {
      const share = budget.share(node, () => {
        ended.push(node);
        share.release();
      });
      share.take(size * kibibyte, () => began.push(node));
      return share;
    },
    ticks: (count: number) => {
      for (let at = 0; at < count; at += 1) {
        now += 50;
        tick?.();
      }
    },
  };
};

/** Half a second and one more tick. */
const patience = 11;

test('a slow response keeps its place while no other waits, and is ended when one does', () => {
  const { began, ended, enter, ticks } = timed();
  enter('slow', 513);
  ticks(100);
  expect(ended).toEqual([]);
  enter('other', 513);
  expect(began).toEqual(['slow']);
  ticks(1);
  expect([began, ended]).toEqual([['slow', 'other'], ['slow']]);
});

test('a slow response is not ended for another one of the same node, as in a walk over a slow link', () => {
  const { began, ended, enter, ticks } = timed();
  for (let count = 0; count < 4; count += 1) enter('node', 513);
  ticks(1000);
  expect([began, ended]).toEqual([['node'], []]);
});

test('a single node waits for its own responses without being crowded, until another node joins', () => {
  const { enter } = timed();
  const shares = Array.from({ length: 3 }, () => enter('node', 513));
  const areCrowded = () => shares.map((share) => share.isCrowded());
  expect(areCrowded()).toEqual([false, false, false]);
  const other = enter('other', 129);
  expect(areCrowded()).toEqual([true, true, true]);
  other.release();
  expect(areCrowded()).toEqual([false, false, false]);
});

test.each([24, 30])('at startup, %i slow nodes delay another node by less than the crowding limit', (count) => {
  const { began, enter, ticks } = timed();
  for (let at = 0; at < count; at += 1) enter(`drip-${at}`, 513);
  enter('honest', 513);
  ticks(maxCrowdedMs / 50 - 1);
  expect(began.at(-1)).toBe('honest');
});

test('a response that starts within 100 ms and arrives at 1 MiB/s is not ended, however many wait', () => {
  const { ended, enter, ticks } = timed();
  const share = enter('steady', 513);
  for (let at = 0; at < 200; at += 1) enter(`other-${at}`, 513);
  ticks(2);
  for (let count = 1; count <= 30; count += 1) {
    share.holds((513 + 52 * count) * kibibyte);
    ticks(1);
  }
  expect(ended).toEqual([]);
});

test('a response at 1 MiB/s is ended after two seconds while another waits, however large it is', () => {
  const { ended, enter, ticks } = timed();
  const share = enter('steady', 513);
  enter('other', 513);
  for (let count = 1; count <= 40; count += 1) {
    share.holds((513 + 52 * count) * kibibyte);
    ticks(1);
  }
  expect(ended).toEqual([]);
  share.holds(4000 * kibibyte);
  ticks(1);
  expect(ended).toEqual(['steady']);
});

test.each([
  { size: 129, atOnce: 8 },
  { size: 513, atOnce: 1 },
])('after hundreds of slow nodes at $size KiB had their turn, a quick node waits for at most one of them', ({ size, atOnce }) => {
  const { began, ended, enter, ticks } = timed();
  const again = () => {
    while (waiting.length > 0) enter(waiting.shift() ?? '', size);
  };
  const waiting = Array.from({ length: 400 }, (_, at) => `drip-${at}`);
  again();
  const rounds = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      const before = ended.length;
      ticks(1);
      waiting.push(...ended.slice(before));
      again();
    }
  };
  rounds((patience * 400) / atOnce);
  // Each of them has had its turn.
  expect(new Set(ended).size).toBe(400);
  for (let count = 0; count < 5; count += 1) {
    const before = began.length;
    const quick = enter('quick', size);
    for (let at = 0; at < patience && !began.slice(before).includes('quick'); at += 1) rounds(1);
    expect(began.slice(before)).toContain('quick');
    quick.release();
    rounds(3);
  }
});

test('a smaller response starts although many larger ones wait before it', () => {
  const { began, enter, ticks } = timed();
  for (let at = 0; at < 24; at += 1) enter(`drip-${at}`, 513);
  enter('quick', 200);
  ticks(24 * patience);
  expect(began).toContain('quick');
});
