// Memory of long answers: whose it is, and how much of it is kept.

import { expect, test } from 'vitest';
import { keptAtMost, startBuffers } from '../../src/node/buffers.ts';

const mebibyte = 2 ** 20;

test('what was given back is taken again, also by an answer that is shorter', () => {
  const { take, give } = startBuffers();
  const first = take(2 * mebibyte);
  expect(first.length).toBeGreaterThanOrEqual(2 * mebibyte);
  give(first);
  expect(take(mebibyte) === first).toBe(true);
});

test('what was not given back is nobody else’s', () => {
  const { take } = startBuffers();
  const first = take(mebibyte);
  expect(take(mebibyte).buffer === first.buffer).toBe(false);
});

test('one that is too short for an answer is left, and fits the next', () => {
  const { take, give } = startBuffers();
  const short = take(mebibyte);
  give(short);
  expect(take(4 * mebibyte) === short).toBe(false);
  expect(take(mebibyte) === short).toBe(true);
});

test('no more is kept than the bound, and the oldest goes first', () => {
  const { take, give } = startBuffers();
  const taken = Array.from({ length: keptAtMost / mebibyte + 1 }, () => take(mebibyte));
  for (const buffer of taken) give(buffer);
  const again = new Set(Array.from({ length: taken.length }, () => take(mebibyte)));
  expect(taken.map((buffer) => again.has(buffer))).toEqual([false, ...Array(taken.length - 1).fill(true)]);
});

test('one that is longer than the bound is not kept', () => {
  const { take, give } = startBuffers();
  const kept = take(mebibyte);
  give(kept);
  const long = take(keptAtMost + 1);
  give(long);
  expect(take(keptAtMost + 1) === long).toBe(false);
  // Nor do the others go for it.
  expect(take(mebibyte) === kept).toBe(true);
});

test('a short one is not kept: Node has it from memory that it shares', () => {
  const { take, give } = startBuffers();
  const kept = take(mebibyte);
  give(kept);
  const short = take(1000);
  for (let bytes = 0; bytes <= keptAtMost; bytes += short.length) give(short);
  expect(take(1000) === short).toBe(false);
  expect(take(mebibyte) === kept).toBe(true);
});
