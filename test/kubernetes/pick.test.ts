// Streaming extraction of fields from JSON, in arbitrary pieces, with limited memory.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FieldMask, picking } from '../../src/kubernetes/pick.ts';
import { collector } from '../support/collector.ts';

const wanted = {
  metadata: { version: true },
  items: { name: true, tags: { own: true, '*': true }, ports: { number: true } },
} as const;

const picked = (text: string, pieceBytes: number) => {
  const entries: unknown[] = [];
  const wholes: unknown[] = [];
  const reader = picking(wanted, {
    entries: 'items',
    entry: (value) => entries.push(value) > 0,
    whole: (value) => wholes.push(value) > 0,
  });
  const bytes = Buffer.from(text);
  let isGood = true;
  for (let at = 0; at < bytes.length && isGood; at += pieceBytes) isGood = reader.take(bytes.subarray(at, at + pieceBytes));
  return { isGood, entries, wholes };
};

const rest = { spec: [{ a: '}]"\\' }, [[]], 1.5, null], name2: 'x' };
const list = {
  kind: 'List',
  metadata: { version: '7', other: { name: 'no' } },
  items: [
    { ...rest, name: 'a "b" \\', tags: { own: 'é\u2028', x: '1' }, ports: [{ number: 1, other: [1] }, {}, { number: -2e3 }] },
    { name: null, ...rest, tags: null, ports: 'text' },
    {},
  ],
};

test.each([1, 2, 3, 7, 10_000])('extracts the wanted fields from pieces of %i bytes', (pieceBytes) => {
  const { isGood, entries, wholes } = picked(`${JSON.stringify(list)}\n${JSON.stringify(list, undefined, 2)}`, pieceBytes);
  const items = [
    { name: 'a "b" \\', tags: { own: 'é\u2028', x: '1' }, ports: [{ number: 1 }, {}, { number: -2000 }] },
    { name: null },
    {},
  ];
  expect({ isGood, entries, wholes }).toEqual({
    isGood: true,
    entries: [...items, ...items],
    wholes: [1, 2].map(() => ({ metadata: { version: '7' }, items: [] })),
  });
});

test.each(['<html>', '}', '[]]', '{"items":[}', '{"metadata":{"version":x}}', '12'])('rejects the malformed text %s', (text) => {
  expect(picked(text, 100).isGood).toBe(false);
});

test('drops too long strings and too many entries, and keeps the other fields', () => {
  const tags = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`t${at}`, 'x']));
  const ports = Array.from({ length: 1000 }, (_, number) => ({ number }));
  const item = { tags: { long: 'x'.repeat(1025), own: 'x'.repeat(1025), ...tags, ['n'.repeat(1025)]: 'x' }, ports, name: 'a' };
  const [entry] = picked(JSON.stringify({ items: [item] }), 65_536).entries as (typeof item)[];
  expect(entry?.name).toBe('a');
  expect(entry?.ports).toHaveLength(64);
  expect(Object.keys(entry?.tags ?? {})).toHaveLength(65);
  expect(entry?.tags).not.toHaveProperty('long');
  expect(entry?.tags.own).toHaveLength(1025);
});

test('limits the fields around a list, however often they are repeated', () => {
  const said = Array.from({ length: 1000 }, (_, at) => `"metadata":{"version":"${at} ${'x'.repeat(1000)}"},"items":[{}]`);
  const { wholes } = picked(`{${said.join(',')}}`, 65_536);
  expect(wholes).toHaveLength(1);
  expect(JSON.stringify(wholes)).not.toContain('999 ');
});

const entry = '{"a":"twenty letters or so"},'.padEnd(4096);

test.each([
  {
    what: 'strings, each in a separate piece',
    pieces: Array(64)
      .fill(['[', ...Array(64).fill(entry), '{}],'])
      .flat(),
  },
  { what: 'an endless number', pieces: ['{"a":', ...Array(256).fill('1'.repeat(4096))] },
])('keeps only the wanted fields in memory: $what', ({ pieces }) => {
  const collect = collector();
  const heldBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const { take } = picking({ a: true }, { whole: () => true });
  take(Buffer.from('['));
  const before = heldBytes();
  for (const piece of pieces) expect(take(Buffer.from(piece))).toBe(true);
  expect(heldBytes() - before).toBeLessThan(4 * 1024 * 1024);
  // Keeps `take` alive during the measurement.
  expect(take(Buffer.from(' '))).toBe(true);
});

/** The wanted fields of a parsed value. */
const wantedOf = (value: unknown, of: FieldMask | undefined): unknown => {
  if (typeof value !== 'object' || value === null) return of === true ? value : undefined;
  if (typeof of !== 'object') return undefined;
  if (Array.isArray(value)) return value.map((one) => wantedOf(one, of)).filter((one) => one !== undefined);
  const members = Object.entries(value).map(([name, one]) => [name, wantedOf(one, Object.hasOwn(of, name) ? of[name] : of['*'])]);
  return Object.fromEntries(members.filter(([, one]) => one !== undefined));
};

const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\\', '"', '\\"', '}', ']'),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'tags', '"\\', 'x'), tie('any'), { maxKeys: 5 }),
  ),
}));

test('extracts the same fields as JSON.parse from any JSON', () => {
  const of: FieldMask = { a: true, b: { a: true, b: { x: true } }, tags: { '*': true, x: { a: true } } };
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'tags', 'x'), any),
      fc.integer({ min: 1, max: 20 }),
      (value, pieceBytes) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const wholes: unknown[] = [];
        const { take } = picking(of, { whole: (one) => wholes.push(one) > 0 });
        for (let at = 0; at < bytes.length; at += pieceBytes) expect(take(bytes.subarray(at, at + pieceBytes))).toBe(true);
        expect(wholes).toEqual([wantedOf(JSON.parse(bytes.toString()), of)]);
      },
    ),
    { numRuns: 500 },
  );
});
