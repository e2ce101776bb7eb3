// Turns of the event loop: how much is done in one, and whose turn it is.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answersInTurn } from '../../src/server/turns.ts';

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
