// Text and times for people: no text of a node can move the cursor, colour a line or change its direction.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ago, firstUnits, percent, printable, printableJson, shortened, span, truncated, unknownName } from '../src/text.ts';

const dangerous = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test.each([
  { text: 'a\nb\r\n\nc\n', line: 'a; b; c', lines: 'a\nb\uFFFD\n\nc\n' },
  { text: 'a\tb', line: 'a b', lines: 'a\tb' },
  { text: 'a\u2028b', line: 'a; b', lines: 'a\uFFFDb' },
  { text: '\u001b[31mred\u001b[0m', line: '\uFFFD[31mred\uFFFD[0m' },
  { text: '\u009b2J', line: '\uFFFD2J' },
  { text: 'abc\u202Efed', line: 'abc\uFFFDfed' },
  { text: '\ud83d\ude00 \ud83d', line: '\ud83d\ude00 \uFFFD' },
  { text: 'µs, 100 % — ok', line: 'µs, 100 % — ok' },
])('$text is shown as $line', ({ text, line, lines = line }) => {
  expect([printable(text), shortened(text, 200)]).toEqual([line, lines]);
});

test('a text that is too long keeps both ends, without split surrogate pairs', () => {
  expect(printable(`begin${'x'.repeat(1000)}end`, 21)).toBe('beginxxxxxxxxx…xxxend');
  expect(shortened('😀'.repeat(50), 11)).toBe('😀😀😀…😀');
});

test.each([
  { text: 'abcd', limit: 4, first: 'abcd', whole: 'abcd' },
  { text: 'abcde', limit: 4, first: 'abcd', whole: 'abc…' },
  { text: 'a😀😀', limit: 4, first: 'a😀', whole: 'a😀…' },
  { text: '😀😀😀', limit: 4, first: '😀😀', whole: '😀…' },
  { text: 'ab', limit: 0, first: '', whole: '…' },
])('the first $limit code units of $text are $first, without split surrogate pairs', ({ text, limit, first, whole }) => {
  expect([firstUnits(text, limit), truncated(text, limit)]).toEqual([first, whole]);
});

test('any text becomes one line without control characters, within the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 3, max: 200 }), (text, limit) => {
      const shown = printable(text, limit);
      expect(shown).not.toMatch(dangerous);
      // A line break becomes two characters.
      expect(shown.length).toBeLessThanOrEqual(2 * limit);
    }),
  );
});

test('any value becomes a line of printable ASCII that parses to the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const line = printableJson({ value, text });
      expect(line).toMatch(/^[ -~]+\n$/);
      expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify({ value, text }));
    }),
  );
});

test.each([
  { seconds: 0, text: '0 s' },
  { seconds: 4.2e-6, text: '4 µs' },
  { seconds: 0.000_999_9, text: '1 ms' },
  { seconds: 0.0643, text: '64 ms' },
  { seconds: 0.9997, text: '1 s' },
  { seconds: 59.4, text: '59 s' },
  { seconds: 59.6, text: '1 min' },
  { seconds: 200, text: '3 min 20 s' },
  { seconds: 7_500, text: '2 h 5 min' },
  { seconds: 190_800, text: '2 d 5 h' },
])('$seconds s is $text', ({ seconds, text }) => {
  expect(span(seconds)).toBe(text);
});

test('ago() reports times in the future as ahead', () => {
  expect([ago(-0.5), ago(-40), ago(40)]).toEqual(['just now', '40 s ahead', '40 s ago']);
});

test.each([
  { ratio: 0.57, text: '57 %' },
  { ratio: 0.79999, text: '79.99 %' },
  { ratio: 1, text: '100 %' },
])('a ratio of $ratio is $text, rounded down', ({ ratio, text }) => {
  expect(percent(ratio)).toBe(text);
});

test.each([
  { known: ['a', 'b'], error: 'unknown target "nod": expected one of a, b' },
  { known: [], error: 'unknown target "nod": there is none' },
  {
    known: Array.from({ length: 22 }, () => 'n'),
    error: `unknown target "nod": expected one of ${'n, '.repeat(19)}n and 2 more`,
  },
])('unknownName says: $error', ({ known, error }) => {
  expect(unknownName('target', 'nod', known)).toBe(error);
});
