// The fast parser for a range: where it returns a value, the schema returns the same, and it does for the usual responses.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { methods } from '../../src/protocol/methods.ts';
import { plainContainers } from '../../src/protocol/plain-containers.ts';

const schema = methods['index.getContainerRange'].result;

const wire = { id: '2h5w', bytes: '0x00', timestamp: '2027-01-15T08:00:00Z', encoding: 'hex', index: '7' };

describe.each([
  { shape: 'an array', of: (containers: unknown) => containers },
  { shape: 'an object with the array', of: (containers: unknown) => ({ containers }) },
])('in $shape', ({ of }) => {
  test.each([
    { what: 'no containers', containers: [] },
    { what: 'one container', containers: [wire] },
    { what: 'one container with unknown members', containers: [{ ...wire, height: 8 }] },
    {
      what: 'timestamps of every form',
      containers: [
        '2027-01-28T23:59:59.123456789Z',
        '2027-01-15T13:30:00.1+05:30',
        '2027-02-01T00:00:00-08:00',
        '2028-02-29T00:00:00Z',
        '2027-12-31T00:00:00Z',
      ].map((timestamp) => ({ ...wire, timestamp })),
    },
    {
      what: 'numbers of every length',
      containers: ['0', '9', '9007199254740993', '999999999999999', '1000000000000001', '9223372036854775809'].map((index) => ({
        ...wire,
        index,
      })),
    },
  ])('parses $what like the schema', ({ containers }) => {
    const plain = plainContainers(of(containers));
    expect(plain).toHaveLength(containers.length);
    expect(z.parse(schema, of(containers))).toEqual(plain);
  });

  test.each([
    { what: 'an id that is not text', container: { ...wire, id: 7 } },
    { what: 'no bytes', container: { ...wire, bytes: undefined } },
    { what: 'no encoding', container: { ...wire, encoding: undefined } },
    { what: 'no time', container: { ...wire, timestamp: null } },
    { what: 'a malformed time', container: { ...wire, timestamp: 'yesterday' } },
    { what: 'an invalid day', container: { ...wire, timestamp: '2027-02-30T00:00:00Z' } },
    { what: 'an invalid month', container: { ...wire, timestamp: '2027-13-01T00:00:00Z' } },
    { what: 'an invalid hour', container: { ...wire, timestamp: '2027-01-01T24:00:00Z' } },
    { what: 'a negative number', container: { ...wire, index: '-1' } },
    { what: 'a fractional number', container: { ...wire, index: '1.5' } },
    { what: 'a number without digits', container: { ...wire, index: '' } },
    { what: 'a number beyond 2^64 - 1', container: { ...wire, index: '18446744073709551616' } },
    { what: 'an endless number', container: { ...wire, index: '9'.repeat(999) } },
    { what: 'a negative plain number', container: { ...wire, index: -1 } },
    { what: 'a fractional plain number', container: { ...wire, index: 1.5 } },
    { what: 'a plain number that was rounded', container: { ...wire, index: 2 ** 53 } },
    { what: 'no number', container: { ...wire, index: undefined } },
    { what: 'a container that is not an object', container: 'container' },
    { what: 'null', container: null },
  ])('leaves $what to the schema, which rejects it', ({ container }) => {
    expect(plainContainers(of([wire, container]))).toBeUndefined();
    expect(z.safeParse(schema, of([wire, container])).success).toBe(false);
  });

  test.each([
    { what: 'a plain number', index: 7, number: 7n },
    { what: 'a number of 20 digits', index: '18446744073709551615', number: 18_446_744_073_709_551_615n },
    { what: 'a number of 20 digits with leading zeros', index: '00000000000000000007', number: 7n },
  ])('parses $what like the schema or leaves it to the schema', ({ index, number }) => {
    expect(plainContainers(of([{ ...wire, index }])) ?? [{ index: number }]).toMatchObject([{ index: number }]);
    expect(z.parse(schema, of([{ ...wire, index }]))).toMatchObject([{ index: number }]);
  });
});

test.each([[null], [7], ['text'], [{}], [{ containers: null }], [{ containers: { 0: wire } }]])(
  '%j is not parsed by the fast parser',
  (result) => {
    expect(plainContainers(result)).toBeUndefined();
  },
);

test.each([[null], [{ containers: null }]])('%j is an empty range for the schema', (result) => {
  expect(z.parse(schema, result)).toEqual([]);
});

test('for any input the fast parser returns what the schema returns, or nothing', () => {
  const text = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      '07',
      '18446744073709551615',
      '18446744073709551616',
      '1e3',
      '2027-01-15T08:00:00Z',
      '2027-02-29T08:00:00Z',
      '2028-02-29T08:00:00.5+14:00',
    ),
    fc.string(),
  );
  const member = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() });
  const digits = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String), member);
  const moment = fc.oneof(
    { weight: 3, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
    { weight: 1, arbitrary: member },
  );
  const container = fc.record({ id: member, bytes: member, timestamp: moment, encoding: member, index: digits });
  const containers = fc.array(fc.oneof({ weight: 9, arbitrary: container }, { weight: 1, arbitrary: fc.jsonValue() }), {
    maxLength: 3,
  });
  let taken = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        containers,
        containers.map((list) => ({ containers: list })),
        fc.jsonValue(),
      ),
      (result) => {
        const plain = plainContainers(result);
        if (plain === undefined) return;
        taken += 1;
        expect(z.parse(schema, result)).toEqual(plain);
      },
    ),
    { numRuns: 1000 },
  );
  expect(taken).toBeGreaterThan(0);
});
