// An index compared with its chain, as a pure step: the order of the requests alone causes neither drift nor disagreement.

import { describe, expect, test } from 'vitest';
import { maxUint64 } from '../../../src/protocol/container.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import { containerAt, containersTo, indexOf } from '../../support/containers.ts';
import { noon } from '../../support/snapshot.ts';
import { callsOf, type Round, type WatchedIndex, watchedIndex } from '../../support/watched-index.ts';

/** The block at that height in a complete index. */
const blockAt = (height: number) => ({ height, id: containerAt(height - 1).id });

const compared = ({ watch }: WatchedIndex) => watch().chain.compared;

const given = (...rounds: readonly Round[]): WatchedIndex => {
  const index = watchedIndex();
  for (const round of rounds) index.round(round);
  return index;
};

describe('a complete index', () => {
  test('that ends with the last block of the chain has no drift, agrees, and is not asked for the block', () => {
    const index = watchedIndex();
    const asked = index.round({ methods: indexOf(containersTo(9)), chain: blockAt(10) });
    expect(asked.accepted).toEqual([]);
    expect(asked.numbersOf).toEqual([containerAt(9).id]);
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test.each([1, 2, 15, 1000])('that is %i containers ahead of an older report has no drift', (ahead) => {
    const index = watchedIndex();
    const asked = index.round({ methods: indexOf(containersTo(9 + ahead)), chain: blockAt(10) });
    expect(asked).toMatchObject({ accepted: [blockAt(10).id], numbersOf: [blockAt(10).id, containerAt(9 + ahead).id] });
    expect(callsOf(asked)).toBe(4);
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('is asked only once about a block that it has', () => {
    const index = watchedIndex();
    const round = { methods: indexOf(containersTo(11)), chain: blockAt(10) };
    index.round(round);
    expect(callsOf(index.round(round))).toBe(0);
    const asked = index.round({ ...round, methods: indexOf(containersTo(12)) });
    expect(asked).toMatchObject({ accepted: [], numbersOf: [containerAt(12).id] });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('whose last block came between the head request and the report has no drift and agrees', () => {
    // A moment later the index has the block that its head lacked.
    const late = indexOf(containersTo(10));
    const index = given({ methods: { ...late, last: indexOf(containersTo(9)).last }, chain: blockAt(11) });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('that is always a moment behind its chain never disagrees', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)), chain: blockAt(10) });
    for (let height = 11; height < 20; height += 1) {
      index.round({ methods: indexOf(containersTo(height - 2)), chain: blockAt(height) });
      expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
    }
  });
});

test('an incomplete index drifts by what it lacks, whether it ends with the block or is ahead of the report', () => {
  const missing = 3;
  const block = (height: number) => ({ height, id: containerAt(height - 1 - missing).id });
  const index = given({ methods: indexOf(containersTo(9)), chain: block(10 + missing) });
  expect(compared(index)).toMatchObject({ drift: 3n, agrees: true });
  index.round({ methods: indexOf(containersTo(14)), chain: block(13 + missing) });
  expect(compared(index)).toMatchObject({ drift: 3n, agrees: true });
});

describe('an index that stalls', () => {
  const stalled = indexOf(containersTo(9));

  test('disagrees once it has denied two blocks in successive polls, and its drift is what it lacks at least', () => {
    const index = given({ methods: stalled, chain: blockAt(10) }, { methods: stalled, chain: blockAt(12) });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
    const asked = index.round({ methods: stalled, chain: blockAt(15) });
    expect(asked.accepted).toEqual([blockAt(15).id, blockAt(12).id]);
    expect(compared(index)).toMatchObject({ drift: 5n, agrees: false });
    index.round({ methods: stalled, chain: blockAt(16) });
    expect(compared(index)).toMatchObject({ drift: 6n, agrees: false });
  });

  test('also disagrees while the chain stands still, with one request per poll', () => {
    const round = { methods: stalled, chain: blockAt(12) };
    const index = given(round, round);
    expect(compared(index)).toMatchObject({ drift: 2n, agrees: false });
    expect(callsOf(index.round(round))).toBe(1);
  });

  test('agrees again as soon as it resumes', () => {
    const index = given(
      { methods: stalled, chain: blockAt(12) },
      { methods: stalled, chain: blockAt(13) },
      { methods: indexOf(containersTo(14)), chain: blockAt(14) },
    );
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('is not compared when another node behind the same address denied the block', () => {
    const round = { methods: stalled, chain: blockAt(12), nodeId: 'NodeID-a' };
    const index = given(round, { ...round, secondNodeId: 'NodeID-b' });
    expect(compared(index)).toBeUndefined();
    index.round(round);
    expect(compared(index)).toMatchObject({ agrees: false });
  });

  test.each([
    { which: 'of the same block', second: 12 },
    { which: 'of another block', second: 13 },
  ])('is not compared when one of two denials timed out: $which', ({ second }) => {
    const silent = { ...stalled, isAccepted: () => ({ kind: 'timeout', afterMs: 5000 }) as const };
    for (const order of [
      [stalled, silent],
      [silent, stalled],
    ]) {
      const index = watchedIndex();
      for (const [at, methods] of order.entries()) index.round({ methods, chain: blockAt(at === 0 ? 12 : second) });
      expect(compared(index)).toBeUndefined();
    }
  });

  test('is not compared until the second denial arrives', () => {
    const silent = { ...stalled, isAccepted: () => ({ kind: 'timeout', afterMs: 5000 }) as const };
    const index = given({ methods: stalled, chain: blockAt(12) }, { methods: silent, chain: blockAt(13) });
    expect(compared(index)).toBeUndefined();
    index.round({ methods: stalled, chain: blockAt(14) });
    expect(compared(index)).toMatchObject({ agrees: false });
  });
});

test('an index that lost its last container disagrees until the next one arrives', () => {
  const lost = containersTo(9);
  const index = given(
    { methods: indexOf(lost), chain: blockAt(10) },
    { methods: indexOf(lost), chain: blockAt(11) },
    { methods: indexOf(lost), chain: blockAt(11) },
  );
  expect(compared(index)).toMatchObject({ drift: 1n, agrees: false });
  index.round({ methods: indexOf([...lost, containerAt(11)]), chain: blockAt(12) });
  expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  expect(index.errors()).toEqual(['gap 10']);
});

test('an empty index drifts by all blocks of its chain once it has denied the last one twice', () => {
  const round = { methods: indexOf([]), chain: blockAt(20) };
  const index = given(round);
  expect(compared(index)).toBeUndefined();
  index.round(round);
  expect(compared(index)).toMatchObject({ drift: 20n });
});

describe('nothing is compared', () => {
  const methods = indexOf(containersTo(9));
  const said = (lastAcceptedHeight: unknown, lastAcceptedID: unknown): Pick<Round, 'message'> => ({
    message: { engine: { consensus: { lastAcceptedHeight, lastAcceptedID }, vm: null }, networking: {} },
  });
  const id = containerAt(4).id;

  test.each<{ readonly when: string; readonly round: Partial<Round>; readonly index?: IndexName }>([
    { when: 'at height 0', round: { chain: { height: 0, id } } },
    { when: 'while the chain bootstraps', round: {} },
    { when: 'when the message is a boolean', round: { message: false } },
    { when: 'when the message is text', round: { message: 'node is not a validator' } },
    { when: 'when the height is not a whole number', round: said(1.5, id) },
    { when: 'when the height was rounded', round: said(2 ** 60, id) },
    { when: 'when the id is not a string', round: said(5, 7) },
    { when: 'when the id is empty', round: said(5, '') },
    { when: 'when the id is too long', round: said(5, 'x'.repeat(999)) },
    { when: 'for X/tx', index: 'X/tx', round: { chain: { height: 5, id } } },
    { when: 'for X/vtx', index: 'X/vtx', round: { chain: { height: 5, id } } },
    {
      when: 'for an index that is off',
      round: { chain: { height: 5, id }, methods: { ...methods, last: () => ({ kind: 'http-status', status: 404 }) } },
    },
  ])('$when', ({ round, index: name }) => {
    const index = watchedIndex(name);
    if (name === undefined) index.round({ methods, chain: blockAt(10) });
    const asked = index.round({ methods, ...round });
    expect(asked.accepted).toEqual([]);
    expect(compared(index)).toBeUndefined();
  });
});

test('without a report in this poll the previous comparison stays unchanged', () => {
  const methods = indexOf(containersTo(9));
  const index = given({ methods, chain: blockAt(10) });
  const known = compared(index);
  index.round({ methods: indexOf(containersTo(12)), noReport: true });
  expect(compared(index)).toEqual(known);
});

test('an index that has the block but did not return its number agrees, without number and drift', () => {
  const methods = { ...indexOf(containersTo(11)), numberOf: () => ({ kind: 'timeout', afterMs: 5000 }) as const };
  const index = given({ methods, chain: blockAt(10) });
  expect(compared(index)).toEqual({ block: { height: 10n, id: blockAt(10).id }, agrees: true, at: noon });
});

test('a growing X/tx is not compared, because it holds no blocks', () => {
  const index = watchedIndex('X/tx');
  for (const last of [9, 11, 13]) {
    const asked = index.round({ methods: indexOf(containersTo(last, 'tx')), chain: blockAt(last) });
    expect(asked.accepted).toEqual([]);
    expect(compared(index)).toBeUndefined();
  }
});

test('a known number beyond the current end of the index is not trusted', () => {
  const timeout = () => ({ kind: 'timeout', afterMs: 5000 }) as const;
  // Its tail cannot be verified here, so nothing else shows that it is another index.
  const before = { ...indexOf(containersTo(11)), byIndex: timeout, range: timeout };
  const index = given({ methods: before, chain: blockAt(10) });
  expect(compared(index)).toMatchObject({ number: 9n, agrees: true });
  const asked = index.round({ methods: { ...indexOf(containersTo(3, 'other')), byIndex: timeout }, chain: blockAt(10) });
  expect(asked.accepted).toEqual([blockAt(10).id]);
});

test('the number that one node gave for a block is not used for another node', () => {
  const index = given({ methods: indexOf(containersTo(11)), chain: blockAt(10), nodeId: 'NodeID-a' });
  const short = containersTo(11).map((one) => ({ ...one, index: one.index + 5n }));
  index.round({ methods: indexOf(short), chain: blockAt(10), nodeId: 'NodeID-b' });
  expect(compared(index)).toMatchObject({ number: 14n, drift: -5n });
});

test('numbers up to 2^64 − 1 are exact', () => {
  const last = { ...containerAt(0), index: maxUint64 };
  const index = given({ methods: indexOf([last]), chain: { height: 10, id: last.id } });
  expect(compared(index)?.drift).toBe(9n - maxUint64);
});
