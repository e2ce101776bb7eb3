// Turns of the event loop: how much is done in one, and whose turn it is.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answersInTurn } from '../src/turns.ts';

test('one of each address after the other, however many wait of one', async () => {
  const inTurn = answersInTurn(() => 0);
  const done: string[] = [];
  for (let count = 0; count < 4; count += 1) inTurn('many', () => done.push('many'));
  inTurn('one', () => done.push('one'));
  inTurn('other', () => done.push('other'));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['many', 'one', 'other', 'many', 'many', 'many']);
});

test('some milliseconds in a turn, and others have theirs between', async () => {
  let now = 0;
  const inTurn = answersInTurn(() => now);
  let done = 0;
  for (let count = 0; count < 10; count += 1)
    inTurn('a', () => {
      done += 1;
      now += 1;
    });
  const seen: number[] = [];
  while (done < 10) {
    await nextTurn();
    seen.push(done);
  }
  expect(seen).toEqual([2, 4, 6, 8, 10]);
});

test.each(['resolve', 'reject'] as const)(
  'what takes longer than a turn is waited for, and then the next goes on: %s',
  async (how) => {
    const inTurn = answersInTurn(() => 0);
    const done: string[] = [];
    const ends: (() => void)[] = [];
    inTurn('slow', () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject }[how])));
    inTurn('next', () => done.push('next'));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(done).toEqual([]);
    ends[0]?.();
    await expect.poll(() => done).toEqual(['next']);
  },
);
