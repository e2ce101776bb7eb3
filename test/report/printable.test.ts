// Nothing of what a node writes can move a cursor, colour a line or turn its direction.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableJson } from '../../src/report/printable.ts';

const dangerous = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test.each([
  { text: 'a\nb\r\n\nc', shown: 'a; b; c' },
  { text: 'a\tb', shown: 'a b' },
  { text: '\u001b[31mred\u001b[0m', shown: '\uFFFD[31mred\uFFFD[0m' },
  { text: '\u009b2J', shown: '\uFFFD2J' },
  { text: 'abc\u202Efed', shown: 'abc\uFFFDfed' },
  { text: '\ud83d\ude00 \ud83d', shown: '\ud83d\ude00 \uFFFD' },
  { text: 'µs, 100 % — ok', shown: 'µs, 100 % — ok' },
])('$text is shown as $shown', ({ text, shown }) => {
  expect(printable(text)).toBe(shown);
});

test('a text that is too long keeps both ends', () => {
  expect(printable(`begin${'x'.repeat(1000)}end`, 21)).toBe('beginxxxxxxxxx…xxxend');
});

test('any text becomes one line that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 3, max: 200 }), (text, limit) => {
      const shown = printable(text, limit);
      expect(shown).not.toMatch(dangerous);
      // A line break becomes two characters.
      expect(shown.length).toBeLessThanOrEqual(2 * limit);
    }),
  );
});

test('any value becomes a line of JSON that is the value, and safe to print', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const line = printableJson({ value, text });
      expect(line.slice(0, -1)).not.toMatch(dangerous);
      expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify({ value, text }));
    }),
  );
});
