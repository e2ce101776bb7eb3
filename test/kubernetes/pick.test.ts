// What is taken of JSON as it arrives, in whatever pieces, and how little that is.

import { expect, test } from 'vitest';
import { picking } from '../../src/kubernetes/pick.ts';

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
