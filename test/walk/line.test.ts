// A line of an export: JSON and ASCII, whichever member the node has put something odd into.

import { expect, test } from 'vitest';
import { lineOf, linesOf, writeLines } from '../../src/walk/line.ts';
import { containersOf } from '../support/index-server.ts';

const odd = ['a"b', 'back\\slash', 'line\nend', '\u0000', 'é', 'ÿĀ', '𝕏', '\ud800'];

test.each(['id', 'bytes', 'timestamp', 'encoding'] as const)('%s alone is odd', (member) => {
  const [plain] = containersOf(1);
  if (plain === undefined) throw new Error('there is one');
  for (const text of odd) {
    const container = { ...plain, [member]: text };
    const line = lineOf(container);
    expect(line).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(line)).toEqual({ ...container, index: '0' });
    const lines = linesOf([plain, container]);
    const written = Buffer.alloc(lines.length + 3, '.');
    expect(writeLines(lines, written, 2)).toBe(lines.length + 2);
    expect(written.toString('latin1')).toBe(`..${lineOf(plain)}${line}.`);
  }
});
