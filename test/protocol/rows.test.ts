// Rows are parsed by hand because there are thousands of them, with the same result as a schema, whatever they contain.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { bySchema } from '../../src/client/answer.ts';
import { uint64, uint64Of } from '../../src/protocol/container.ts';
import { maxRows, percentage, shortText, shortTextOf } from '../../src/protocol/info.ts';
import { methods } from '../../src/protocol/methods.ts';
import { isNodeId } from '../../src/protocol/node-id.ts';
import { plainContainers } from '../../src/protocol/plain-containers.ts';
import { cases } from '../support/cases.ts';
import { capturesOf } from '../support/replay.ts';

/** Values near a valid one: of another type, another length, or beyond a limit. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...['', '0', '00', '-0', '-1', '1.5', '1e3', '0x1', ' 1', '1 ', '٣', '100', '100.0', '100.0001', '101', '.5', '5.'],
    ...['18446744073709551615', '18446744073709551616', '9'.repeat(41), `1.${'0'.repeat(20)}`, `1.${'0'.repeat(21)}`],
    ...[0, -0, -1, 1.5, 100, 100.5, 1e21, 2 ** 53 - 1, 2 ** 53, Number.POSITIVE_INFINITY, true, false, null, undefined],
    ...['x'.repeat(128), 'x'.repeat(129), `${'x'.repeat(127)}😀`, '\ud800', [], {}, ['1'], { length: 1 }],
  ),
  fc.jsonValue(),
  fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

/** Most draws are valid for nothing, but each kind needs some valid ones. */
const runs = { numRuns: cases(3000) };

test('a text is accepted and rejected like by its schema', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(odd, (wire) => {
      const read = shortTextOf(wire);
      expect(read).toStrictEqual(z.safeParse(shortText, wire).data);
      seen[read === undefined ? 'refused' : 'taken'] += 1;
    }),
    runs,
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(cases(250));
});

const max = '18446744073709551615';

test.each([
  {
    what: 'a uint64',
    schema: uint64,
    valid: ['0', '007', max, 0, 2 ** 53 - 1],
    parsed: [0n, 7n, BigInt(max), 0n, 9007199254740991n],
  },
  { what: 'a percentage', schema: percentage, valid: ['0', '99.9984', '100.0000', 0, 62.5], parsed: [0, 99.9984, 100, 0, 62.5] },
])('$what is a number or its decimal text', ({ schema, valid, parsed }) => {
  expect(valid.map((wire) => z.parse<z.core.$ZodType>(schema, wire))).toEqual(parsed);
});

const notNumbers = [
  '',
  '-0',
  '-1',
  '1e3',
  '0x1',
  ' 1',
  '1 ',
  '٣',
  '.5',
  -1,
  2 ** 64,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
  [],
  ['1'],
  {},
];

test.each([
  { what: 'a uint64', schema: uint64, invalid: [...notNumbers, '1.5', 1.5, 2 ** 53, '18446744073709551616', '9'.repeat(41)] },
  { what: 'a percentage', schema: percentage, invalid: [...notNumbers, '100.0001', '101', 100.5, '5.', `1.${'0'.repeat(21)}`] },
])('anything else is not $what', ({ schema, invalid }) => {
  for (const wire of invalid) expect([wire, z.safeParse<z.core.$ZodType>(schema, wire).success]).toEqual([wire, false]);
});

test('a text is cut without splitting a character', () => {
  expect(shortTextOf(`${'x'.repeat(127)}😀`)).toBe('x'.repeat(127));
});

const rowsIn = z.object({ result: z.record(z.string(), z.unknown()) });
const asked = z.object({ method: z.string() });

/** Every row of the member in the responses of a real node to the method. */
const captured = (method: string, member: string): readonly Readonly<Record<string, unknown>>[] =>
  ['genesis-validator', 'two-validators-first'].flatMap((state) =>
    capturesOf(state).flatMap(({ request, answer }) => {
      if (request.body === null || asked.safeParse(JSON.parse(request.body || '{}')).data?.method !== method) return [];
      const rows = rowsIn.safeParse(JSON.parse(answer.body)).data?.result[member];
      return z.array(z.record(z.string(), z.unknown())).parse(rows ?? []);
    }),
  );

const l1Row = {
  nodeID: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  validationID: '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
  weight: '20',
  startTime: '1791000000',
  balance: '900',
  minNonce: '0',
};

const rowOf = {
  validator: [...captured('platform.getCurrentValidators', 'validators'), l1Row],
  blockchain: captured('platform.getBlockchains', 'blockchains'),
  peer: captured('info.peers', 'peers'),
};

/** A row with odd or missing members. */
const mutated = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  fc.constantFrom(...rows).chain((row) => {
    const members = fc.dictionary(fc.constantFrom(...Object.keys(row)), odd, { maxKeys: 6 });
    const without = fc.subarray(Object.keys(row), { maxLength: 2 });
    return fc.tuple(members, without).map(([over, gone]) => {
      const wire: Record<string, unknown> = { ...row, ...over };
      for (const member of gone) delete wire[member];
      return wire;
    });
  });

const orNothing = <S extends z.core.$ZodType>(schema: S) =>
  z.pipe(
    z.optional(z.unknown()),
    z.transform((wire) => z.safeParse(schema, wire).data),
  );

const agrees = (
  rows: readonly Readonly<Record<string, unknown>>[],
  byHand: (wire: Readonly<Record<string, unknown>>) => unknown,
  bySchema: (wire: unknown) => unknown,
) => {
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(byHand(row)).toBeDefined();
    expect(byHand(row)).toEqual(bySchema(row));
  }
  fc.assert(
    fc.property(mutated(rows), (wire) => {
      expect(byHand(wire)).toEqual(bySchema(wire));
    }),
    runs,
  );
};

test('a validator is parsed as by a schema, in a list and alone, and rejected without a NodeID', () => {
  const number = z.pipe(uint64, z.transform(Number));
  const reference = z.object({
    nodeID: z.string().check(z.refine(isNodeId)),
    validationID: orNothing(shortText),
    weight: orNothing(uint64),
    startTime: orNothing(number),
    endTime: orNothing(number),
    potentialReward: orNothing(uint64),
    uptime: orNothing(percentage),
    delegatorCount: orNothing(number),
    delegatorWeight: orNothing(uint64),
    balance: orNothing(uint64),
  });
  const read = (wire: unknown) => {
    const found = z.safeParse(reference, wire).data;
    if (found === undefined) return undefined;
    const { nodeID: nodeId, validationID: validationId, ...rest } = found;
    return { nodeId, validationId, ...rest };
  };
  agrees(
    rowOf.validator,
    (wire) => z.parse(methods['platform.getCurrentValidators'].result, { validators: [wire] }).validators[0],
    read,
  );
  agrees(rowOf.validator, (wire) => z.safeParse(methods['platform.getL1Validator'].result, wire).data, read);
});

test('a blockchain is parsed as by a schema, and rejected without its id or subnet id', () => {
  const reference = z.object({ id: shortText, subnetID: shortText, name: orNothing(shortText) });
  agrees(
    rowOf.blockchain,
    (wire) => z.parse(methods['platform.getBlockchains'].result, { blockchains: [wire] }).blockchains[0],
    (wire) => {
      const { id, subnetID: subnetId, name } = z.safeParse(reference, wire).data ?? {};
      return id === undefined ? undefined : { id, subnetId, name };
    },
  );
});

test('a peer is parsed as by a schema, and kept even if nothing is known about it', () => {
  // The version may be empty; a malformed one counts as unknown.
  const version = z.union([shortText, z.literal('')]);
  const reference = z.object({ version: orNothing(version), observedUptime: orNothing(percentage) });
  agrees(
    rowOf.peer,
    (wire) => z.parse(methods['info.peers'].result, { peers: [wire] }).peers[0],
    (wire) => z.parse(reference, wire),
  );
});

describe.each([
  { method: 'platform.getCurrentValidators', member: 'validators', row: rowOf.validator[0], odd: 0 },
  { method: 'platform.getBlockchains', member: 'blockchains', row: rowOf.blockchain[0], odd: 0 },
  { method: 'info.peers', member: 'peers', row: rowOf.peer[0], odd: 5 },
] as const)('the response of $method', ({ method, member, row, odd }) => {
  const read = (rows: unknown) => bySchema<z.core.$ZodType>(methods[method].result)({ [member]: rows });

  test('is read to its last row or is too large, and is never cut short', () => {
    expect(read(Array(maxRows).fill(row))).toMatchObject({ kind: 'ok', value: { [member]: { length: maxRows } } });
    expect(read(Array(maxRows + 1).fill(row))).toEqual({ kind: 'too-large', bound: 'rows', limit: maxRows });
  });

  test('leaves out rows that are not objects, except peers, and is malformed without a list', () => {
    expect(read([null, 7, 'text', [], true, row])).toMatchObject({ kind: 'ok', value: { [member]: { length: odd + 1 } } });
    for (const none of [undefined, null, 'text', 7, {}, { length: 1 }])
      expect(read(none)).toEqual({ kind: 'malformed', reason: `${member}: must be an array` });
  });
});

test.each([
  { shape: 'an array', of: (containers: unknown) => containers },
  { shape: 'an object with the array', of: (containers: unknown) => ({ containers }) },
])('a range in $shape has at most as many containers as may be requested', ({ of }) => {
  const read = bySchema(methods['index.getContainerRange'].result);
  const container = { id: '2SUG', bytes: '0x', timestamp: '2026-11-20T12:00:00Z', encoding: 'hex', index: '1' };
  const tooMany = { kind: 'too-large', bound: 'rows', limit: 1024 };
  expect(read(of(Array(1024).fill(container)))).toMatchObject({ kind: 'ok', value: { length: 1024 } });
  expect(read(of(Array(1025).fill(container)))).toEqual(tooMany);
  expect(plainContainers(of(Array(1025).fill(container)))).toBeUndefined();
  expect(read(of(Array(70_000).fill({})))).toEqual(tooMany);
});

test('a number has at most 40 digits including leading zeros, and an id 128 characters', () => {
  expect([uint64Of('0'.repeat(40)), uint64Of('0'.repeat(41))]).toEqual([0n, undefined]);
  const of = (length: number) => [
    { id: 'i'.repeat(length), bytes: '', timestamp: '2026-11-20T12:00:00Z', encoding: 'hex', index: '1' },
  ];
  const read = bySchema(methods['index.getContainerRange'].result);
  expect([read(of(128)).kind, read(of(129)).kind]).toEqual(['ok', 'malformed']);
  expect([plainContainers(of(128))?.length, plainContainers(of(129))]).toEqual([1, undefined]);
});

test('upgrades with too many members are malformed, because a dropped one would count as not scheduled', () => {
  const of = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`u${at}Time`, '2030-01-01T00:00:00Z']));
  const read = bySchema(methods['info.upgrades'].result);
  expect(read(of(64))).toMatchObject({ kind: 'ok', value: { size: 64 } });
  expect(read(of(65))).toEqual({ kind: 'malformed', reason: 'the response: must have at most 64 members' });
});
