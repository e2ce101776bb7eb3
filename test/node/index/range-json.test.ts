// Ranges as bytes: what containerJson makes of each container, whatever they are and wherever they lie.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startBuffers } from '../../../src/node/buffers.ts';
import { packRun, unpackRun } from '../../../src/node/index/by-number.ts';
import { containerJson, type Encoding } from '../../../src/node/index/container-json.ts';
import { rangeWriter } from '../../../src/node/index/range-json.ts';
import { hashedContainer, type Packed, packContainer } from '../../../src/node/index/stored-container.ts';

const encodings: readonly Encoding[] = ['hex', 'hexc', 'hexnc'];
const shape = ['{"containers":[', ']}'] as const;
const timestamp = '2026-01-02T03:04:05.678901Z';

const writers = [
  { name: 'with vectors', write: rangeWriter(startBuffers()) },
  { name: 'without vectors', write: rangeWriter(startBuffers(), () => undefined) },
];

const packedOf = (number: number, bytes: number): Buffer => packContainer(hashedContainer(randomBytes(bytes)), number, timestamp);
/** Without id, bytes and time: its object is the longest beside it. */
const bare = (number: number): Buffer => packContainer({ ...hashedContainer(Buffer.of()), id: '' }, number, '');
const alone = (memory: Buffer): Packed => ({ memory, start: 0, end: memory.length });
const numbered = (first: number, sizes: readonly number[]): readonly Buffer[] =>
  sizes.map((bytes, at) => packedOf(first + at, bytes));

const expected = (packed: readonly Packed[], encoding: Encoding): string =>
  `${shape[0]}${packed.map((one) => containerJson(one, encoding)).join(',')}${shape[1]}`;

const rows: readonly { readonly name: string; readonly packed: readonly Packed[] }[] = [
  { name: 'nothing', packed: [] },
  { name: 'one that stands alone', packed: [alone(packedOf(0, 300))] },
  { name: 'one without bytes', packed: [alone(packedOf(7, 0))] },
  { name: 'numbers of every length', packed: [0, 9, 10, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1].map((n) => alone(packedOf(n, 10))) },
  { name: 'a run', packed: unpackRun(packRun(numbered(0, Array(64).fill(1024)))) },
  { name: 'part of a run', packed: unpackRun(packRun(numbered(64, Array(64).fill(200)))).slice(5, 40) },
  { name: 'a run with a gap', packed: unpackRun(packRun(numbered(0, Array(64).fill(50)))).filter((_, at) => at % 7 !== 0) },
  { name: 'a run that is longer than the workbench', packed: unpackRun(packRun(numbered(0, Array(64).fill(9000)))) },
  { name: 'more than the workbench takes at a time', packed: unpackRun(packRun(numbered(0, Array(200).fill(10)))) },
  {
    name: 'more than the workbench takes at a time, with little but their members',
    packed: unpackRun(packRun(Array.from({ length: 10_000 }, (_, number) => bare(number)))),
  },
  {
    name: 'a container that is longer than the workbench, among others',
    packed: unpackRun(packRun(numbered(0, [100, 300_000, 100]))),
  },
  {
    name: 'a run, and behind it some that stand alone',
    packed: [...unpackRun(packRun(numbered(0, Array(64).fill(500)))), ...numbered(64, [1, 2, 3]).map(alone)],
  },
];

for (const { name, write } of writers) {
  test.each(rows)(`${name}: $name`, ({ packed }) => {
    for (const encoding of encodings) {
      const { json, sent } = write(packed, encoding, shape);
      expect(json.toString()).toBe(expected(packed, encoding));
      sent();
    }
  });
}

test('containers of any sizes, in runs of any length and alone', () => {
  const group = fc.record({ sizes: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 70 }), areAlone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(group, { maxLength: 4 }), fc.constantFrom(...encodings), (groups, encoding) => {
      const packed = groups.flatMap(({ sizes, areAlone }, at) => {
        const containers = numbered(at * 100, sizes);
        return areAlone ? containers.map(alone) : unpackRun(packRun(containers));
      });
      for (const { write } of writers) {
        const { json, sent } = write(packed, encoding, shape);
        expect(json.equals(Buffer.from(expected(packed, encoding)))).toBe(true);
        sent();
      }
    }),
    { numRuns: 30 },
  );
});

test('an answer keeps its bytes until it is sent, and its memory is then used again', () => {
  const write = rangeWriter(startBuffers());
  const [one, other] = [0, 1000].map((first) => unpackRun(packRun(numbered(first, Array(64).fill(1000)))));
  if (one === undefined || other === undefined) throw new Error('two runs were made');
  const first = write(one, 'hex', shape);
  const second = write(other, 'hex', shape);
  expect(first.json.toString()).toBe(expected(one, 'hex'));
  first.sent();
  const third = write(other, 'hex', shape);
  expect(third.json.buffer === first.json.buffer).toBe(true);
  expect(second.json.toString()).toBe(expected(other, 'hex'));
});

test('vectors are opened at the first range, and once', () => {
  let opened = 0;
  const write = rangeWriter(startBuffers(), () => {
    opened += 1;
    return undefined;
  });
  expect(opened).toBe(0);
  for (const packed of [[], [alone(packedOf(0, 10))]]) write(packed, 'hex', shape).sent();
  expect(opened).toBe(1);
});
