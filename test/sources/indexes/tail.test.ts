// Verification of new containers of an index, as a pure step.

import { describe, expect, test } from 'vitest';
import { maxUint64 } from '../../../src/protocol/container.ts';
import { maxBehind, maxContainers } from '../../../src/sources/indexes/tail.ts';
import { unverified, type Verification } from '../../../src/sources/indexes/verification.ts';
import { containerAt, containersTo, type IndexMethods, indexOf } from '../../support/containers.ts';
import { noon } from '../../support/snapshot.ts';
import { callsOf, type WatchedIndex, watchedIndex } from '../../support/watched-index.ts';

const noErrors = unverified.errorCounts;

/** Counts of errors written as `kind number`. */
const countsOf = (errors: readonly string[]): Verification['errorCounts'] => {
  const counts: Record<string, number> = { ...noErrors };
  for (const fault of errors) {
    const [kind = ''] = fault.split(' ');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return { ...noErrors, ...counts };
};

const verified = ({ watch }: WatchedIndex): bigint | undefined => watch().following.tail?.number;

describe('the first poll', () => {
  test('starts at the head: it asks for the container by number and for the number by id', () => {
    const index = watchedIndex();
    const asked = index.round({ methods: indexOf(containersTo(500)) });
    expect(asked).toEqual({
      range: { start: 500n, count: 1 },
      numbersOf: [containerAt(500).id],
      accepted: [],
    });
    expect(verified(index)).toBe(500n);
    expect(index.errors()).toEqual([]);
  });

  test('of an empty index verifies nothing, and the next one starts at 0', () => {
    const index = watchedIndex();
    expect(callsOf(index.round({ methods: indexOf([]) }))).toBe(0);
    expect(verified(index)).toBe(-1n);
    expect(index.round({ methods: indexOf(containersTo(3)) }).range).toEqual({ start: 0n, count: 4 });
    expect(verified(index)).toBe(3n);
  });
});

describe('a head that', () => {
  test('has not moved needs no request', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    expect(callsOf(index.round({ methods: indexOf(containersTo(9)) }))).toBe(0);
    expect(index.watch().following.tail?.at).toBe(noon + 30);
  });

  test.each([
    { moved: 1, range: { start: 10n, count: 1 } },
    { moved: 2, range: { start: 10n, count: 2 } },
    { moved: maxContainers, range: { start: 10n, count: maxContainers } },
  ])('has moved by $moved needs two requests', ({ moved, range }) => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    const asked = index.round({ methods: indexOf(containersTo(9 + moved)) });
    expect(asked).toMatchObject({ range, numbersOf: [containerAt(9 + moved).id] });
    expect(callsOf(asked)).toBe(2);
    expect(verified(index)).toBe(BigInt(9 + moved));
    expect(index.errors()).toEqual([]);
  });

  test('is several ranges ahead is reached over several polls', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    const methods = indexOf(containersTo(209));
    const reached: (bigint | undefined)[] = [];
    for (let round = 0; round < 5; round += 1) {
      expect(callsOf(index.round({ methods }))).toBeLessThanOrEqual(2);
      reached.push(verified(index));
    }
    expect(reached).toEqual([73n, 137n, 201n, 209n, 209n]);
    expect(index.errors()).toEqual([]);
  });

  test('is one container beyond the range is not asked for its number yet', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    const methods = indexOf(containersTo(9 + maxContainers + 1));
    expect(index.round({ methods })).toEqual({ range: { start: 10n, count: maxContainers }, numbersOf: [], accepted: [] });
    expect(index.round({ methods }).numbersOf).toEqual([containerAt(10 + maxContainers).id]);
  });

  test('is exactly as far ahead as allowed is still reached range by range', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(0)) });
    const asked = index.round({ methods: indexOf(containersTo(Number(maxBehind))) });
    expect(asked.range).toEqual({ start: 1n, count: maxContainers });
    expect(index.watch().reset).toBeUndefined();
  });

  test('is too far ahead is verified from there on, and the containers in between are skipped', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(0)) });
    const last = Number(maxBehind) + 1;
    expect(index.round({ methods: indexOf(containersTo(last)) }).range).toEqual({ start: BigInt(last), count: 1 });
    expect(index.watch()).toMatchObject({ reset: 'far', errorCounts: noErrors });
    expect(verified(index)).toBe(BigInt(last));
  });

  test('moved back belongs to another index, which is verified from its head on', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    index.round({ methods: indexOf(containersTo(4, 'other')) });
    expect(index.watch()).toMatchObject({ reset: 'back', errorCounts: noErrors });
    expect(verified(index)).toBe(4n);
    index.round({ methods: indexOf(containersTo(12, 'other')) });
    expect(index.watch().reset).toBeUndefined();
    expect(verified(index)).toBe(12n);
    expect(index.errors()).toEqual([]);
  });

  test('is of another node restarts verification there, even if its times are earlier', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)), nodeId: 'NodeID-a' });
    const earlier = containersTo(12).map((one) => ({ ...one, timestamp: '2020-01-01T00:00:00Z' }));
    index.round({ methods: indexOf(earlier), nodeId: 'NodeID-b' });
    expect(index.watch()).toMatchObject({ reset: 'other-node', errorCounts: noErrors });
    expect(verified(index)).toBe(12n);
  });

  test('is of another node is recognised even after an answer without a NodeID', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)), nodeId: 'NodeID-a' });
    index.round({ methods: indexOf(containersTo(10)) });
    expect(index.watch().reset).toBeUndefined();
    index.round({ methods: indexOf(containersTo(11)), nodeId: 'NodeID-b' });
    expect(index.watch().reset).toBe('other-node');
  });

  test('is of an index that was off restarts verification there: it may be another database', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)), chain: { height: 10, id: containerAt(9).id } });
    index.round({ methods: { ...indexOf([]), last: () => ({ kind: 'http-status', status: 404 }) } });
    expect(index.watch()).toMatchObject({ chain: {}, errors: [] });
    expect(index.watch().reset).toBeUndefined();
    expect(verified(index)).toBeUndefined();
    expect(index.round({ methods: indexOf(containersTo(12, 'other')) }).range).toEqual({ start: 12n, count: 1 });
    expect(index.errors()).toEqual([]);
  });

  test('was reset is reported as reset for one poll, even if the next one fails', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    index.round({ methods: indexOf(containersTo(4, 'other')) });
    expect(index.watch().reset).toBe('back');
    index.round({ methods: { ...indexOf([]), last: () => ({ kind: 'timeout', afterMs: 5000 }) } });
    expect(index.watch().reset).toBeUndefined();
  });

  test('is of an index that was emptied is verified from 0 on', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)) });
    index.round({ methods: indexOf([]) });
    expect(index.watch()).toMatchObject({ reset: 'back', errorCounts: noErrors });
    index.round({ methods: indexOf(containersTo(1)) });
    expect(verified(index)).toBe(1n);
  });
});

const ten = containersTo(9);
const honest = indexOf(containersTo(14));
const told = (number: number, over: object): IndexMethods =>
  indexOf(containersTo(14).map((one) => (one.index === BigInt(number) ? { ...one, ...over } : one)));

describe('a fault is counted once, under its own number', () => {
  const rows: readonly { readonly fault: string; readonly methods: IndexMethods; readonly found: readonly string[] }[] = [
    { fault: 'no fault', methods: honest, found: [] },
    {
      fault: 'a missing container',
      methods: indexOf(containersTo(14).filter(({ index }) => index !== 12n)),
      found: ['gap 12'],
    },
    {
      fault: 'several missing containers in a row',
      methods: indexOf(containersTo(14).filter(({ index }) => index < 11n || index > 13n)),
      found: ['gap 11'],
    },
    { fault: 'a container with another number', methods: told(12, { index: 11n }), found: ['number 12'] },
    {
      fault: 'a number far beyond the range',
      methods: {
        ...honest,
        range: () => ({ kind: 'ok', value: [containerAt(10), containerAt(11), { ...containerAt(12), index: maxUint64 }] }),
      },
      found: ['number 12'],
    },
    { fault: 'an id that is not the hash', methods: told(12, { id: containerAt(99).id }), found: ['hash 12'] },
    { fault: 'a malformed id', methods: told(12, { id: 'nonsense' }), found: ['hash 12'] },
    { fault: 'bytes with a wrong checksum', methods: told(12, { bytes: '0x0102030405' }), found: ['bytes 12'] },
    { fault: 'bytes that are not hex', methods: told(12, { bytes: 'AQID' }), found: ['bytes 12'] },
    {
      fault: 'a time before that of the previous poll',
      methods: told(10, { timestamp: '2020-01-01T00:00:00Z' }),
      found: ['time 10'],
    },
    { fault: 'a time that runs backwards', methods: told(12, { timestamp: '2020-01-01T00:00:00Z' }), found: ['time 12'] },
    {
      fault: 'a time that is earlier by a nanosecond',
      methods: told(12, { timestamp: '2027-01-15T08:00:10.999999999Z' }),
      found: ['time 12'],
    },
    { fault: 'the same time in another offset', methods: told(12, { timestamp: '2027-01-15T13:30:11+05:30' }), found: [] },
    {
      fault: 'an id with another number',
      methods: { ...honest, numberOf: () => ({ kind: 'ok', value: { index: 3n } }) },
      found: ['id 14'],
    },
    {
      fault: 'an id that is not found',
      methods: { ...honest, numberOf: () => ({ kind: 'rpc-error', code: -32_000, message: 'not found' }) },
      found: ['id 14'],
    },
    {
      fault: 'a head that is not the container of its number',
      methods: { ...honest, last: () => ({ kind: 'ok', value: { ...containerAt(99), index: 14n } }) },
      found: ['id 14'],
    },
  ];

  test.each(rows)('$fault', ({ methods, found }) => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    for (let round = 0; round < 3; round += 1) index.round({ methods });
    expect(index.errors()).toEqual(found);
    expect(index.watch().errorCounts).toEqual(countsOf(found));
    expect(verified(index)).toBe(14n);
    // Verification continues, and the fault is not found again.
    const honestNow = indexOf(containersTo(20));
    index.round({ methods: honestNow });
    expect(index.errors()).toEqual(found);
    expect(verified(index)).toBe(20n);
  });

  test('another container under the number of the last verified one', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    for (let round = 0; round < 3; round += 1) index.round({ methods: indexOf(containersTo(9, 'other')) });
    expect(index.errors()).toEqual(['number 9']);
    expect(verified(index)).toBe(9n);
  });

  test('another container under that number, whose time is then not compared', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    const other = containersTo(9, 'other').map((one) => ({ ...one, timestamp: '2020-01-01T00:00:00Z' }));
    index.round({ methods: indexOf(other) });
    expect(index.errors()).toEqual(['number 9']);
  });

  test.each([
    { lost: [12n], detail: 'there is no container 12' },
    { lost: [11n, 12n, 13n], detail: 'there are no containers 11 to 13' },
  ])('and its detail is $detail', ({ lost, detail }) => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    index.round({ methods: indexOf(containersTo(14).filter(({ index: number }) => !lost.includes(number))) });
    expect(index.watch().errors.map((fault) => fault.detail)).toEqual([detail]);
  });

  test('and verification resumes at the head in the same poll', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    index.round({ methods: told(12, { index: 11n }) });
    expect(index.watch().following.tail).toMatchObject({ number: 14n, at: noon + 30 });
  });

  test('for every container of a range in which all hashes are wrong', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    index.round({ methods: indexOf(containersTo(14).map((one) => ({ ...one, bytes: containerAt(99).bytes }))) });
    expect(index.errors()).toEqual([10, 11, 12, 13, 14].map((number) => `hash ${number}`));
  });
});

test('a container that the database of the node fails to read is not missing', () => {
  const index = watchedIndex();
  index.round({ methods: indexOf(ten) });
  const message = "couldn't read from database: leveldb/table: corruption on data-block (pos=1)";
  const methods: IndexMethods = { ...indexOf(containersTo(10)), byIndex: () => ({ kind: 'rpc-error', code: -32_000, message }) };
  index.round({ methods });
  expect([verified(index), index.errors()]).toEqual([9n, []]);
});

describe('a failed request', () => {
  const timeout = { kind: 'timeout', afterMs: 5000 } as const;

  test('is not a fault: the count halves until a response arrives, then grows by one', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    const methods = indexOf(containersTo(100));
    const tooLarge: IndexMethods = {
      ...methods,
      range: (start, count) => (count > 16 ? { kind: 'too-large', bound: 'bytes', limit: 1 } : methods.range(start, count)),
    };
    const counts = Array.from({ length: 6 }, () => index.round({ methods: tooLarge }).range?.count);
    expect(counts).toEqual([64, 32, 16, 17, 8, 9]);
    expect(verified(index)).toBe(42n);
    expect(index.errors()).toEqual([]);
  });

  test.each([
    { answer: 'that times out', range: timeout },
    { answer: 'that is answered without a container', range: { kind: 'ok', value: [] } as const },
  ])('for a range $answer halves the count, down to one', ({ range }) => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    const methods: IndexMethods = { ...indexOf(containersTo(16)), range: () => range, byIndex: () => timeout };
    const counts = Array.from({ length: 5 }, () => index.round({ methods }).range?.count);
    expect(counts).toEqual([7, 3, 1, 1, 1]);
    expect(verified(index)).toBe(9n);
    expect(index.errors()).toEqual([]);
  });

  test('for the head changes nothing', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    const before = index.watch();
    expect(callsOf(index.round({ methods: { ...honest, last: () => timeout } }))).toBe(0);
    expect(index.watch()).toEqual(before);
  });

  test('for the number of the head leaves the head for the next poll', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    index.round({ methods: { ...honest, numberOf: () => timeout } });
    expect(verified(index)).toBe(13n);
    index.round({ methods: honest });
    expect(verified(index)).toBe(14n);
    expect(index.errors()).toEqual([]);
  });

  test('is also one that another node behind the same address answered', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten), nodeId: 'NodeID-a' });
    index.round({ methods: indexOf(containersTo(14)), nodeId: 'NodeID-a', secondNodeId: 'NodeID-b' });
    expect(verified(index)).toBe(9n);
  });
});

test.each([
  { message: 'no container at index 30', error: 'gap 30' },
  { message: "couldn't read from database: not found", error: 'gap 30' },
  { message: "couldn't get index: not found", error: 'id 30' },
])(
  'if requests for a container fail with "$message", the others are verified, one error is counted and the head is reached',
  ({ message, error }) => {
    const index = watchedIndex();
    index.round({ methods: indexOf(ten) });
    const methods = indexOf(containersTo(40).filter(({ index: number }) => number !== 30n));
    const refusing: IndexMethods = {
      ...methods,
      byIndex: (number) => (number === 30n ? { kind: 'rpc-error', code: -32_000, message } : methods.byIndex(number)),
      range: (start, count) =>
        start <= 30n && start + BigInt(count) > 30n ? { kind: 'rpc-error', code: -32_000, message } : methods.range(start, count),
    };
    const reached = Array.from({ length: 20 }, () => {
      index.round({ methods: refusing });
      return verified(index);
    });
    expect(reached).toContain(29n);
    expect(index.errors()).toEqual([error]);
    expect(verified(index)).toBe(40n);
  },
);
