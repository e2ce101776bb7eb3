// A line of an export is JSON in ASCII, whatever the node put into a member.

import { expect, test } from 'vitest';
import type { Container } from '../../src/protocol/container.ts';
import { lineOf } from '../../src/walk/line.ts';
import { containersOf } from '../support/index-server.ts';

const odd = ['a"b', 'back\\slash', 'line\nend', '\u0000', 'é', 'ÿĀ', '𝕏', '\ud800'];

const rest = ({ id, timestamp, encoding, bytes }: Container) => ({ id, timestamp, encoding, bytes });

test.each(['id', 'bytes', 'timestamp', 'encoding'] as const)('odd characters in %s are escaped', (member) => {
  const [plain] = containersOf(1);
  if (plain === undefined) throw new Error('there is one');
  expect(lineOf(plain)).toBe(`${JSON.stringify({ index: '0', ...rest(plain) })}\n`);
  for (const text of odd) {
    const container = { ...plain, [member]: text };
    const line = lineOf(container);
    expect(line).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(line)).toEqual({ ...container, index: '0' });
  }
});
