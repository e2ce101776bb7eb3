// Which changes of an index, other than of its head, are logged.

import { expect, test } from 'vitest';
import type { IndexName } from '../../../src/protocol/paths.ts';
import type { LogEntry } from '../../../src/snapshot/log-entry.ts';
import { changesOf } from '../../../src/sources/indexes/changes.ts';
import type { Verification } from '../../../src/sources/indexes/verification.ts';
import { containerAt, containersTo, indexOf } from '../../support/containers.ts';
import { type Round, watchedIndex } from '../../support/watched-index.ts';

const block = (height: number) => ({ height, id: containerAt(height - 1).id });
const to = (last: number, over: Partial<Round> = {}): Round => ({ methods: indexOf(containersTo(last)), ...over });
const stalled = indexOf(containersTo(9));

/** The log lines of each poll for indexes that behave alike. */
const linesOf = (rounds: readonly Round[], indexes: readonly IndexName[] = ['P/block']): readonly (readonly LogEntry[])[] => {
  const index = watchedIndex();
  let before: ReadonlyMap<IndexName, Verification> = new Map();
  return rounds.map((round) => {
    index.round(round);
    const after = new Map(indexes.map((name) => [name, index.watch()]));
    const changes = changesOf(before, after);
    before = after;
    return changes;
  });
};

test.each<{ when: string; rounds: readonly Round[]; lines: readonly (readonly LogEntry[])[] }>([
  { when: 'grows with its chain', rounds: [to(9, { chain: block(10) }), to(12, { chain: block(13) })], lines: [[], []] },
  {
    when: 'belongs to another node',
    rounds: [to(9, { nodeId: 'NodeID-a' }), to(12, { nodeId: 'NodeID-b' }), to(13, { nodeId: 'NodeID-b' })],
    lines: [
      [],
      [
        {
          level: 'info',
          message: 'NodeID changed: index verification restarts at the head',
          fields: { indexes: { 'P/block': { before: '9', after: '12' } } },
        },
      ],
      [],
    ],
  },
  {
    when: 'became shorter',
    rounds: [to(9), to(4), to(5)],
    lines: [
      [],
      [
        {
          level: 'warn',
          message: 'index is shorter than before: verification restarts at the head',
          fields: { indexes: { 'P/block': { before: '9', after: '4' } } },
        },
      ],
      [],
    ],
  },
  {
    when: 'grows faster than it is verified, poll after poll',
    rounds: [to(0), to(2000), to(4000), to(4001), to(6000)],
    lines: [
      [],
      [
        {
          level: 'info',
          message: 'index is far ahead: containers in between are not verified',
          fields: { indexes: { 'P/block': { before: '0', after: '2000' } } },
        },
      ],
      [],
      [],
      [
        {
          level: 'info',
          message: 'index is far ahead: containers in between are not verified',
          fields: { indexes: { 'P/block': { before: '4001', after: '6000' } } },
        },
      ],
    ],
  },
  {
    when: 'stalls and resumes',
    rounds: [
      { methods: stalled, chain: block(12) },
      { methods: stalled, chain: block(13) },
      { methods: stalled, chain: block(14) },
      to(14, { chain: block(15) }),
      to(15, { chain: block(16) }),
    ],
    lines: [
      [],
      [
        {
          level: 'warn',
          message: 'index disagrees with its chain: last accepted block not found',
          fields: { index: 'P/block', height: '13', drift: '3' },
        },
      ],
      [],
      [{ level: 'info', message: 'index agrees with its chain again', fields: { index: 'P/block', height: '15', drift: '0' } }],
      [],
    ],
  },
  {
    when: 'lost a container',
    rounds: [to(9), { methods: indexOf(containersTo(14).filter(({ index }) => index !== 12n)) }, to(15)],
    lines: [
      [],
      [
        {
          level: 'warn',
          message: 'index integrity error',
          fields: { index: 'P/block', kind: 'gap', number: '12', detail: 'there is no container 12' },
        },
      ],
      [],
    ],
  },
])('log lines for an index that $when', ({ rounds, lines }) => {
  expect(linesOf(rounds)).toEqual(lines);
});

test('indexes that are shorter after a restart share one log line', () => {
  const [, lines] = linesOf([to(9), to(4)], ['P/block', 'X/tx', 'C/block']);
  const moved = { before: '9', after: '4' };
  expect(lines).toMatchObject([{ level: 'warn', fields: { indexes: { 'P/block': moved, 'X/tx': moved, 'C/block': moved } } }]);
});

test.each([
  { faults: 5, lines: 5, rest: undefined },
  { faults: 6, lines: 6, rest: { count: 1, upTo: '15' } },
  { faults: 60, lines: 6, rest: { count: 55, upTo: '69' } },
])('$faults faults in one poll are logged as $lines lines', ({ faults, lines, rest }) => {
  const wrong = containersTo(9 + faults).map((one) => (one.index > 9n ? { ...one, bytes: containerAt(99).bytes } : one));
  const [, found = []] = linesOf([to(9), { methods: indexOf(wrong) }]);
  expect(found).toHaveLength(lines);
  const more = { level: 'warn', message: 'more index integrity errors', fields: { index: 'P/block', ...rest } };
  expect(found.filter(({ message }) => message === more.message)).toEqual(rest === undefined ? [] : [more]);
});
