// An index beside its chain, as a pure step: no drift and no disagreement that is only a matter of when each was asked.

import { describe, expect, test } from 'vitest';
import { maxUint64 } from '../../../src/protocol/container.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import { containerAt, containersTo, indexOf } from '../../support/containers.ts';
import { noon } from '../../support/snapshot.ts';
import { callsOf, type Round, type WatchedIndex, watchedIndex } from '../../support/watched-index.ts';

/** The block of that height in a complete index. */
const blockAt = (height: number) => ({ height, id: containerAt(height - 1).id });

const compared = ({ watch }: WatchedIndex) => watch().chain.compared;

const given = (...rounds: readonly Round[]): WatchedIndex => {
  const index = watchedIndex();
  for (const round of rounds) index.round(round);
  return index;
};

describe('a complete index', () => {
  test('that ends with the last block of the chain has no drift, agrees, and is asked nothing', () => {
    const index = watchedIndex();
    const asked = index.round({ methods: indexOf(containersTo(9)), chain: blockAt(10) });
    expect(asked.accepted).toEqual([]);
    expect(asked.numbersOf).toEqual([containerAt(9).id]);
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test.each([1, 2, 15, 1000])('that is %i ahead of the report, which is older, has no drift', (ahead) => {
    const index = watchedIndex();
    const asked = index.round({ methods: indexOf(containersTo(9 + ahead)), chain: blockAt(10) });
    expect(asked).toMatchObject({ accepted: [blockAt(10).id], numbersOf: [blockAt(10).id, containerAt(9 + ahead).id] });
    expect(callsOf(asked)).toBe(4);
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('is not asked again about a block that it is known to have', () => {
    const index = watchedIndex();
    const round = { methods: indexOf(containersTo(11)), chain: blockAt(10) };
    index.round(round);
    expect(callsOf(index.round(round))).toBe(0);
    const asked = index.round({ ...round, methods: indexOf(containersTo(12)) });
    expect(asked).toMatchObject({ accepted: [], numbersOf: [containerAt(12).id] });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('whose last block came between its head and the report has neither drift nor disagreement', () => {
    // Asked a moment later, it has the block that its head was without.
    const late = indexOf(containersTo(10));
    const index = given({ methods: { ...late, last: indexOf(containersTo(9)).last }, chain: blockAt(11) });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('that is a moment behind its chain, round after round, never disagrees', () => {
    const index = watchedIndex();
    index.round({ methods: indexOf(containersTo(9)), chain: blockAt(10) });
    for (let height = 11; height < 20; height += 1) {
      index.round({ methods: indexOf(containersTo(height - 2)), chain: blockAt(height) });
      expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
    }
  });
});

test('an incomplete index drifts by what it misses, whether it ends with the block or is ahead of the report', () => {
  const missing = 3;
  const block = (height: number) => ({ height, id: containerAt(height - 1 - missing).id });
  const index = given({ methods: indexOf(containersTo(9)), chain: block(10 + missing) });
  expect(compared(index)).toMatchObject({ drift: 3n, agrees: true });
  index.round({ methods: indexOf(containersTo(14)), chain: block(13 + missing) });
  expect(compared(index)).toMatchObject({ drift: 3n, agrees: true });
});

describe('an index that stalls', () => {
  const stalled = indexOf(containersTo(9));

  test('disagrees when it has denied two blocks a round apart, and by then drifts by what it lacks at least', () => {
    const index = given({ methods: stalled, chain: blockAt(10) }, { methods: stalled, chain: blockAt(12) });
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
    const asked = index.round({ methods: stalled, chain: blockAt(15) });
    expect(asked.accepted).toEqual([blockAt(15).id, blockAt(12).id]);
    expect(compared(index)).toMatchObject({ drift: 5n, agrees: false });
    index.round({ methods: stalled, chain: blockAt(16) });
    expect(compared(index)).toMatchObject({ drift: 6n, agrees: false });
  });

  test('disagrees when the chain stands still, too, and costs one question a round then', () => {
    const round = { methods: stalled, chain: blockAt(12) };
    const index = given(round, round);
    expect(compared(index)).toMatchObject({ drift: 2n, agrees: false });
    expect(callsOf(index.round(round))).toBe(1);
  });

  test('agrees again as soon as it goes on', () => {
    const index = given(
      { methods: stalled, chain: blockAt(12) },
      { methods: stalled, chain: blockAt(13) },
      { methods: indexOf(containersTo(14)), chain: blockAt(14) },
    );
    expect(compared(index)).toMatchObject({ drift: 0n, agrees: true });
  });

  test('is not believed when another node behind the same address denied it', () => {
    const round = { methods: stalled, chain: blockAt(12), nodeId: 'NodeID-a' };
    const index = given(round, { ...round, secondNodeId: 'NodeID-b' });
    expect(compared(index)).toBeUndefined();
    index.round(round);
    expect(compared(index)).toMatchObject({ agrees: false });
  });

  test.each([
    { which: 'of the same block', second: 12 },
    { which: 'of another', second: 13 },
  ])('is not believed when one of two denials did not come: $which', ({ second }) => {
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

  test('is not believed when the second denial did not come', () => {
    const silent = { ...stalled, isAccepted: () => ({ kind: 'timeout', afterMs: 5000 }) as const };
    const index = given({ methods: stalled, chain: blockAt(12) }, { methods: silent, chain: blockAt(13) });
    expect(compared(index)).toBeUndefined();
    index.round({ methods: stalled, chain: blockAt(14) });
    expect(compared(index)).toMatchObject({ agrees: false });
  });
});

test('a lost container that is the last one disagrees until the next comes', () => {
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

test('an empty index beside a chain that has blocks drifts by all of them, once it has denied its last one twice', () => {
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
    { when: 'where the message is a flag', round: { message: false } },
    { when: 'where the message is a text', round: { message: 'node is not a validator' } },
    { when: 'where the height is no whole number', round: said(1.5, id) },
    { when: 'where the height was rounded', round: said(2 ** 60, id) },
    { when: 'where the id is no text', round: said(5, 7) },
    { when: 'where the id is empty', round: said(5, '') },
    { when: 'where the id is endless', round: said(5, 'x'.repeat(999)) },
    { when: 'of X/tx', index: 'X/tx', round: { chain: { height: 5, id } } },
    { when: 'of X/vtx', index: 'X/vtx', round: { chain: { height: 5, id } } },
    {
      when: 'of an index that is off',
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

test('without a report of this round what was known stays, as old as it is', () => {
  const methods = indexOf(containersTo(9));
  const index = given({ methods, chain: blockAt(10) });
  const known = compared(index);
  index.round({ methods: indexOf(containersTo(12)), noReport: true });
  expect(compared(index)).toEqual(known);
});

test('of a block that the index has, and whose number did not come, only that is known', () => {
  const methods = { ...indexOf(containersTo(11)), numberOf: () => ({ kind: 'timeout', afterMs: 5000 }) as const };
  const index = given({ methods, chain: blockAt(10) });
  expect(compared(index)).toEqual({ block: { height: 10n, id: blockAt(10).id }, agrees: true, at: noon });
});

test('X/tx, where it grows, is compared with nothing: it holds no blocks', () => {
  const index = watchedIndex('X/tx');
  for (const last of [9, 11, 13]) {
    const asked = index.round({ methods: indexOf(containersTo(last, 'tx')), chain: blockAt(last) });
    expect(asked.accepted).toEqual([]);
    expect(compared(index)).toBeUndefined();
  }
});

test('a number that lies beyond the end of the index by now is not taken for that of the block', () => {
  const timeout = () => ({ kind: 'timeout', afterMs: 5000 }) as const;
  // Its tail could not be looked at, so nothing else tells that it is another one.
  const before = { ...indexOf(containersTo(11)), byIndex: timeout, range: timeout };
  const index = given({ methods: before, chain: blockAt(10) });
  expect(compared(index)).toMatchObject({ number: 9n, agrees: true });
  const asked = index.round({ methods: { ...indexOf(containersTo(3, 'other')), byIndex: timeout }, chain: blockAt(10) });
  expect(asked.accepted).toEqual([blockAt(10).id]);
});

test('the number of another node is not taken for that of this one', () => {
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
