// The two tools for long answers, against what Node does with the same bytes.

import { randomFillSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startVectors } from '../../../src/node/index/vectors.ts';

const margin = 32;
const from = 1000;
const to = 20_000;

const started = () => {
  const vectors = startVectors(64 * 1024);
  if (vectors === undefined) throw new Error('this Node has no WebAssembly, or this processor no vectors');
  randomFillSync(vectors.bytes);
  return vectors;
};

const place = fc.record({ length: fc.integer({ min: 0, max: 5000 }), shift: fc.integer({ min: 0, max: 40 }) });

test('hex writes the digits of Buffer.toString, from where it is told to where it says', () => {
  const { bytes, hex } = started();
  fc.assert(
    fc.property(place, ({ length, shift }) => {
      const before = Buffer.from(bytes);
      const end = hex(from + shift, length, to + shift);
      expect(end).toBe(to + shift + 2 * length);
      expect(bytes.toString('latin1', to + shift, end)).toBe(before.toString('hex', from + shift, from + shift + length));
      expect(bytes.subarray(0, to + shift).equals(before.subarray(0, to + shift))).toBe(true);
      expect(bytes.subarray(end + margin).equals(before.subarray(end + margin))).toBe(true);
    }),
  );
});

test('copy copies, from where it is told to where it says', () => {
  const { bytes, copy } = started();
  fc.assert(
    fc.property(place, ({ length, shift }) => {
      const before = Buffer.from(bytes);
      const end = copy(from + shift, length, to - shift);
      expect(end).toBe(to - shift + length);
      expect(bytes.subarray(to - shift, end).equals(before.subarray(from + shift, from + shift + length))).toBe(true);
      expect(bytes.subarray(0, to - shift).equals(before.subarray(0, to - shift))).toBe(true);
      expect(bytes.subarray(end + margin).equals(before.subarray(end + margin))).toBe(true);
    }),
  );
});

test('every digit is right', () => {
  const { bytes, hex } = started();
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  bytes.set(all, from);
  expect(bytes.toString('latin1', to, hex(from, all.length, to))).toBe(all.toString('hex'));
});

test.each([1, 64 * 1024, 64 * 1024 + 1, 1_000_000])('a workbench of %d bytes has at least as many', (bytes) => {
  const length = startVectors(bytes)?.bytes.length ?? 0;
  expect(length).toBeGreaterThanOrEqual(bytes);
  expect(length).toBeLessThan(bytes + 64 * 1024);
});
