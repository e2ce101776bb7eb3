// What is taken of JSON as it arrives, in whatever pieces, and how little that is.

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

test.each([1, 2, 3, 7, 10_000])('in pieces of %i bytes', (pieceBytes) => {
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

test.each(['<html>', '}', '[]]', '{"items":[}', '{"metadata":{"version":x}}', '12'])('%s is no such text', (text) => {
  expect(picked(text, 100).isGood).toBe(false);
});

test('what is too long or too much is left out, and what is beside it is taken', () => {
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

test('what stands around a list is bounded, however often it is said', () => {
  const said = Array.from({ length: 1000 }, (_, at) => `"metadata":{"version":"${at} ${'x'.repeat(1000)}"},"items":[{}]`);
  const { wholes } = picked(`{${said.join(',')}}`, 65_536);
  expect(wholes).toHaveLength(1);
  expect(JSON.stringify(wholes)).not.toContain('999 ');
});

const entry = '{"a":"twenty letters or so"},'.padEnd(4096);

test.each([
  {
    what: 'texts, each in a piece of its own',
    pieces: Array(64)
      .fill(['[', ...Array(64).fill(entry), '{}],'])
      .flat(),
  },
  { what: 'a number without end', pieces: ['{"a":', ...Array(256).fill('1'.repeat(4096))] },
])('of $what no more is held than is wanted', ({ pieces }) => {
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
  // What is used below is not collected above.
  expect(take(Buffer.from(' '))).toBe(true);
});

/** The same of a value that was parsed as a whole. */
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

test('of any JSON it takes what a parser that holds the whole would', () => {
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
