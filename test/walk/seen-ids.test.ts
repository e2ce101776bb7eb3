import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { seenIds } from '../../src/walk/seen-ids.ts';

/** Like ids: no two have anything in common. */
const hashOf = (number: bigint): string => createHash('sha256').update(`${number}`).digest('base64');

const idOf = (number: bigint): string => `2h5wNZcWkHVBLLvCyKNKvAdrV5sB9kQMQY6qPUn${number}`;

test('an id is reported under another number but not under its own', () => {
  const seen = seenIds(1000n);
  expect(seen('a', 1000n)).toBeUndefined();
  expect(seen('b', 1001n)).toBeUndefined();
  expect(seen('a', 1000n)).toBeUndefined();
  expect(seen('a', 1002n)).toBe(1000n);
  expect(seen('a', 1003n)).toBe(1000n);
});

test('at least half as many ids as there are slots are remembered, without confusion', () => {
  const most = 2 ** 14;
  const seen = seenIds(0n, most);
  const numbers = Array.from({ length: 60_000 }, (_, number) => BigInt(number));
  expect(numbers.filter((number) => seen(idOf(number), number) !== undefined)).toEqual([]);
  const remembered = numbers.slice(-most / 2);
  expect(remembered.filter((number) => seen(idOf(number), 0xffffn) !== number)).toEqual([]);
});

test('the oldest ids are forgotten, so memory is bounded', () => {
  const seen = seenIds(0n, 2 ** 12);
  for (let number = 0n; number < 10_000n; number += 1n) seen(idOf(number), number);
  expect(seen(idOf(0n), 10_001n)).toBeUndefined();
});

test('400,000 ids are never confused, although 32 bits of a mark alone would confuse some', () => {
  const seen = seenIds(0n);
  const taken: bigint[] = [];
  for (let number = 0n; number < 400_000n; number += 1n) if (seen(hashOf(number), number) !== undefined) taken.push(number);
  expect(taken).toEqual([]);
});
