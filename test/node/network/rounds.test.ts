// When rounds happen: never two at once, whatever becomes of them.

import { expect, test } from 'vitest';
import { acceptanceClock } from '../../../src/node/network/acceptance-clock.ts';
import { drive, inTurn } from '../../../src/node/network/rounds.ts';

test('a round waits for the one before it, and a failed one holds up none', async () => {
  const order: string[] = [];
  let goOn: () => void = () => undefined;
  const round = inTurn(async (at) => {
    order.push(`${at} begins`);
    if (at === 1)
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    order.push(`${at} ends`);
    if (at === 2) throw new Error('the second failed');
  });
  const rounds = [1, 2, 3].map(round);
  await expect.poll(() => order).toEqual(['1 begins']);
  goOn();
  const ended = await Promise.allSettled(rounds);
  expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a timer begins no round before the last one has ended, and none after its end', async () => {
  const ending = new AbortController();
  let [now, underWay, most] = [0, 0, 0];
  const at: number[] = [];
  const tick = async (time: number): Promise<void> => {
    at.push(time);
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    now += 5;
    if (at.length === 4) ending.abort();
  };
  await drive(
    tick,
    () => now,
    ending.signal,
    () => 0,
  );
  expect({ at, most, underWay }).toEqual({ at: [0, 5, 10, 15], most: 1, underWay: 0 });
});

test('a timer ends in its pause, however long that is', async () => {
  const ending = new AbortController();
  const driven = drive(
    async () => undefined,
    () => 0,
    ending.signal,
    () => {
      setImmediate(() => ending.abort());
      return 3600;
    },
  );
  await expect(driven).resolves.toBeUndefined();
});

test.each([
  { at: 1_800_000_000, offset: 0, text: '2027-01-15T08:00:00Z' },
  { at: 1_800_000_000.123457, offset: 0, text: '2027-01-15T08:00:00.123457Z' },
  { at: 1_800_000_000.000001, offset: 0, text: '2027-01-15T08:00:00.000001Z' },
  { at: 1_800_000_000.1, offset: 330, text: '2027-01-15T13:30:00.1+05:30' },
  { at: 1_800_000_000.999999, offset: -480, text: '2027-01-15T00:00:00.999999-08:00' },
])('what is accepted at $at carries the microsecond of it, $offset minutes from UTC: $text', ({ at, offset, text }) => {
  expect(acceptanceClock((time) => time, offset)(at)).toBe(text);
  // Of the node's own clock, not of the network's.
  expect(acceptanceClock(() => at, offset)(0)).toBe(text);
});
