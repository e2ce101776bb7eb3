// The progress line on terminals of any width.

import { expect, test } from 'vitest';
import { progressLine, progressText } from '../../src/walk/progress.ts';

const progress = { first: 0n, next: 750_000n, end: 1_000_000n };
const text = '75 %  750000 of 1000000  10000/s  25 s left';

test.each([
  { columns: 120, line: `[##################......] ${text}` },
  { columns: 80, line: `[##################......] ${text}` },
  { columns: 0, line: `[##################......] ${text}` },
  { columns: undefined, line: `[##################......] ${text}` },
  { columns: 57, line: `[########..] ${text}` },
  { columns: 51, line: `[###.] ${text}` },
  { columns: 50, line: text },
  { columns: 44, line: text },
  { columns: 43, line: '75 %  10000/s  25 s left' },
  { columns: 24, line: '75 %  25 s left' },
  { columns: 15, line: '75 %' },
  { columns: 4, line: '75 ' },
  { columns: 1, line: '' },
])('in $columns columns: $line', ({ columns, line }) => {
  expect(progressLine(progress, 75, columns)).toBe(line);
});

test('the line fits any terminal, however long the walk is', () => {
  for (let columns = 1; columns <= 200; columns += 1)
    for (const next of [0n, 1n, 2n ** 63n, 2n ** 64n])
      expect(progressLine({ first: 0n, next, end: 2n ** 64n }, 3, columns).length).toBeLessThan(columns);
});

test('after a resume the percentage is of the whole, and the rate of the new part', () => {
  expect(progressText({ ...progress, resumedAt: 500_000n }, 10)).toBe('75 %  750000 of 1000000  25000/s  10 s left');
});

test('without a terminal the complete text is shown', () => {
  expect(progressText(progress, 75)).toBe(text);
  expect(progressText({ first: 5n, next: 5n, end: 10n }, 0)).toBe('0 %  5 of 10  0.0/s  time left unknown');
});
