// Limits of a response: the pass over its bytes counts what JSON.parse would find.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBody, faultOfSmall } from '../../src/client/body.ts';
import { type Bounds, boundsOfReport, boundsOfResult, countedBy } from '../../src/client/bounds.ts';
import { cases } from '../support/cases.ts';

const most = Number.MAX_SAFE_INTEGER;
const none: Bounds = { depth: most, values: most, name: most, names: most, checks: most };

/** `size`: bytes per chunk. */
const passedBound = (text: Buffer, bounds: Bounds, size = text.length) => {
  const counted = countedBy(bounds);
  for (let at = 0; at < text.length; at += size) {
    const bound = counted.take(text.subarray(at, at + size));
    if (bound !== undefined) return bound;
  }
  return undefined;
};
const passed = (text: string, bounds: Partial<Bounds>, size?: number) =>
  passedBound(Buffer.from(text), { ...none, ...bounds }, size);

const members = (count: number): string => Array.from({ length: count }, (_, at) => `"c${at}":{}`).join(',');

interface Held {
  readonly depth: number;
  readonly values: number;
  readonly name: number;
}

/** What a JSON value holds. An empty list or object counts as one value, as in the pass over the bytes. */
const heldBy = (value: unknown): Held => {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0, name: 0 };
  const inner = Object.values(value).map(heldBy);
  const names = Array.isArray(value) ? [] : Object.keys(value).map((name) => Buffer.byteLength(JSON.stringify(name)) - 2);
  return {
    depth: 1 + inner.reduce((most, one) => Math.max(most, one.depth), 0),
    values: inner.reduce((sum, one) => sum + one.values, Math.max(1, inner.length)),
    name: [...names, ...inner.map(({ name }) => name)].reduce((most, one) => Math.max(most, one), 0),
  };
};

test('depth, values and names of any JSON are counted exactly, in chunks of any size', () => {
  const strings = fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', ':', ',', '{', '[', ']', '}', '\n', 'ü'), fc.string()) });
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), fc.array(strings), fc.nat(2), (json, texts, indent) => {
      const value = { json, texts, named: Object.fromEntries(texts.map((text) => [text, 1])) };
      const text = JSON.stringify(value, undefined, indent);
      const held = { ...heldBy(value), values: heldBy(value).values + 1 };
      for (const bound of ['depth', 'values', 'name'] as const) {
        for (const size of [text.length + 1, 1 + (texts.length % 7)]) {
          expect(passed(text, { [bound]: held[bound] }, size)).toBeUndefined();
          if (held[bound] > 0) expect(passed(text, { [bound]: held[bound] - 1 }, size)).toBe(bound);
        }
      }
    }),
    { numRuns: cases(2000) },
  );
});

describe('a limit of a report', () => {
  test.each([
    ['depth', '['.repeat(500_000)],
    ['depth', '{"a":'.repeat(100_000)],
    ['values', `{"checks":{"a":{"message":[${'{},'.repeat(170_000)}1]}},"healthy":true}`],
    ['checks', `{"checks":{${Array.from({ length: 150_000 }, (_, at) => `"c${at}":{}`).join(',')}},"healthy":true}`],
    ['names', `{"checks":{"a":{"message":{${Array.from({ length: 2100 }, (_, at) => `"c${at}":1`).join(',')}}}},"healthy":true}`],
    ['values', `{"checks":{"a":{"message":[${'""'.repeat(50_000)}]}},"healthy":true}`],
    ['values', `{"checks":{"a":{"message":${'1'.repeat(2_000_000)}}},"healthy":true}`],
    ['name', `{"checks":{"a":{"message":{"${'k'.repeat(16_000)}":{"a":1}}}},"healthy":true}`],
    ['name', `{"checks":{"${'n'.repeat(1_000_000)}":{}},"healthy":true}`],
  ] as const)('on %s is exceeded, case %#', (bound, text) => {
    for (const size of [text.length, 16_384]) expect(passedBound(Buffer.from(text), boundsOfReport, size)).toBe(bound);
  });

  test.each(['', '"', '"\\', '{"a', `"${'\\"'.repeat(100_000)}`, `{"${'\\'.repeat(200_001)}`])(
    'allows truncated text, case %#',
    (text) => {
      expect(passedBound(Buffer.from(text), boundsOfReport)).toBeUndefined();
    },
  );
});

test.each([
  { what: 'checks', of: (count: number) => `{"checks":{${members(count)}},"healthy":true}`, most: 400, bound: 'checks' },
  { what: 'names', of: (count: number) => `{"checks":{"a":{"message":{${members(count - 3)}}}}}`, most: 2000, bound: 'names' },
])('a report of $most $what is within the limits, and one more exceeds them', ({ of, most, bound }) => {
  expect(passedBound(Buffer.from(of(most)), boundsOfReport)).toBeUndefined();
  expect(passedBound(Buffer.from(of(most + 1)), boundsOfReport)).toBe(bound);
});

test('a page of containers is within the limits, however it is indented', () => {
  const row = { id: 'i', bytes: 'ab'.repeat(1024), timestamp: '2026-11-20T12:00:00Z', encoding: 'hex' };
  const containers = Array.from({ length: 1024 }, (_, at) => ({ ...row, index: `${at}` }));
  const text = JSON.stringify({ jsonrpc: '2.0', result: { containers }, id: 1 }, undefined, 8);
  expect(passedBound(Buffer.from(text), boundsOfResult('index.getContainerRange'))).toBeUndefined();
});

test('a small body is counted after it was received, a large one as it arrives, including its first bytes', () => {
  const deep = Buffer.from('['.repeat(100));
  const body = createBody(1_000_000, boundsOfReport, () => undefined);
  expect(body.take(Buffer.from(deep))).toBeUndefined();
  expect(faultOfSmall(boundsOfReport, body.bytes())).toEqual({ kind: 'too-large', bound: 'depth', limit: 64 });
  expect(body.take(Buffer.alloc(32 * 1024, ' '))).toEqual({ kind: 'too-large', bound: 'depth', limit: 64 });
});
