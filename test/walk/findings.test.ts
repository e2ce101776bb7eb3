// Faults in successive containers, reported where they are, and once.

import { describe, expect, test } from 'vitest';
import type { Container } from '../../src/protocol/container.ts';
import { checkerOf } from '../../src/walk/findings.ts';
import { containersOf } from '../support/index-server.ts';

const containers = containersOf(10);

const timed = (...timestamps: readonly string[]): readonly Container[] =>
  containers.slice(0, timestamps.length).map((container, at) => ({ ...container, timestamp: timestamps[at] ?? '' }));

const found = (given: readonly Container[], first = 0n, end = BigInt(given.length)): readonly string[] =>
  checkerOf('P/block', first)(given, first, end).findings.map(({ kind, number, detail }) => `${kind} ${number}: ${detail}`);

describe('times', () => {
  const [early, middle, late] = ['2027-01-15T08:00:00Z', '2027-01-15T08:00:05Z', '2027-01-15T08:00:10Z'];

  test.each<{ what: string; times: readonly string[]; wrong: readonly string[] }>([
    { what: 'that stand still are valid', times: [early, early, early], wrong: [] },
    {
      what: 'that go back behind the predecessor but not the first are an error',
      times: [early, late, middle],
      wrong: [`time 2: accepted at ${middle}, its predecessor at ${late}`],
    },
    {
      what: 'that continue from an earlier time are one error',
      times: [late, early, middle],
      wrong: [`time 1: accepted at ${early}, its predecessor at ${late}`],
    },
    {
      what: 'that go back within a second are an error',
      times: ['2027-01-15T08:00:00.2Z', '2027-01-15T08:00:00.15Z'],
      wrong: ['time 1: accepted at 2027-01-15T08:00:00.15Z, its predecessor at 2027-01-15T08:00:00.2Z'],
    },
    {
      what: 'that are out of order only as text are valid',
      times: ['2027-01-15T08:00:00Z', '2027-01-15T08:00:00.5Z', '2027-01-15T08:00:00.50Z'],
      wrong: [],
    },
    {
      what: 'in two offsets and in order are valid',
      times: ['2027-01-15T13:30:01+05:30', '2027-01-15T08:00:02Z', '2027-01-15T00:00:03-08:00'],
      wrong: [],
    },
    {
      what: 'in two offsets and out of order are an error',
      times: ['2027-01-15T08:00:02Z', '2027-01-15T13:30:01+05:30'],
      wrong: ['time 1: accepted at 2027-01-15T13:30:01+05:30, its predecessor at 2027-01-15T08:00:02Z'],
    },
  ])('$what', ({ times, wrong }) => {
    expect(found(timed(...times))).toEqual(wrong);
  });

  test('are also compared across stretches', () => {
    const checker = checkerOf('P/block', 0n);
    const all = timed(late, late, middle);
    expect(checker(all.slice(0, 2), 0n, 2n).findings).toEqual([]);
    expect(checker(all.slice(2), 2n, 3n).findings).toMatchObject([{ kind: 'time', number: 2n }]);
  });
});

test.each([
  { what: 'nothing arrives', given: [], wrong: ['gap 2: no containers 2 to 9'] },
  { what: 'the first is missing', given: [3, 4, 5, 6, 7, 8, 9], wrong: ['gap 2: no container 2'] },
  { what: 'the last are missing', given: [2, 3, 4, 5, 6, 7], wrong: ['gap 8: no containers 8 to 9'] },
  { what: 'there are two gaps', given: [2, 4, 5, 8, 9], wrong: ['gap 3: no container 3', 'gap 6: no containers 6 to 7'] },
  { what: 'one arrives twice', given: [2, 3, 3, 4, 5, 6, 7, 8, 9], wrong: ['number 3: found index 3 where 4 was expected'] },
])('of 2 to 9, $what: $wrong', ({ given, wrong }) => {
  const row = given.map((number) => ({ ...(containers[number] as Container), timestamp: '2027-01-15T08:00:00Z' }));
  expect(found(row, 2n, 10n)).toEqual(wrong);
});

test('a gap has the number of missing containers', () => {
  const { findings } = checkerOf('P/block', 0n)(containers.slice(7), 0n, 10n);
  expect(findings).toEqual([{ kind: 'gap', number: 0n, detail: 'no containers 0 to 6', missing: 7n }]);
});
