// The error for invalid JSON: the line and what was expected there, without quoting the text.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../src/discovery/json-fault.ts';
import { cases } from '../support/cases.ts';

const inString = 'a text without its closing quote, or with a backslash or a character that must be escaped';

test.each([
  { text: '[\n{"targets": ["a:1"]},\n]\n', says: 'line 3: not JSON: expected a value: a text needs double quotes' },
  { text: '[\n{"targets": [SECRET]}\n]', says: 'line 2: not JSON: expected a value: a text needs double quotes' },
  { text: "[\n{'targets': []}]", says: 'line 2: not JSON: expected a name in double quotes' },
  { text: '[{\n"targets" ["a:1"]}]', says: 'line 2: not JSON: expected a colon after the name' },
  { text: '[{"targets": []\n\n"labels": {}}]', says: 'line 3: not JSON: expected , or }' },
  { text: '["a:1"\n"b:1"]', says: 'line 2: not JSON: expected , or ]' },
  { text: '["a:1}\n]', says: `line 1: not JSON: ${inString}` },
  { text: '[\n"a\\x"]', says: `line 2: not JSON: ${inString}` },
  { text: '[]\n[]', says: 'line 2: not JSON: expected nothing more' },
  { text: '[{"targets": [\n"a:1"\n\n', says: 'line 2: not JSON: it ends too early' },
  { text: '\uFEFF[]', says: 'line 1: not JSON: it begins with a byte order mark: remove it' },
])('explains invalid JSON: $text', async ({ text, says }) => {
  expect(await jsonFault(text)).toBe(says);
});

test('the line matches the position in the error of JSON.parse', async () => {
  const written = fc.json().map((text) => JSON.stringify(JSON.parse(text), undefined, 1));
  const one = fc.constantFrom(...'[]{},:"\\-.0e\n tx');
  await fc.assert(
    fc.asyncProperty(written, fc.nat(), fc.nat(2), one, async (whole, place, left, put) => {
      const from = place % (whole.length + 1);
      const text = whole.slice(0, from) + put + whole.slice(from + left);
      const message = messageOf(text);
      if (message === undefined) return;
      const said = await jsonFault(text);
      expect(said).toMatch(/^line \d+: not JSON: /);
      const [, position] = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
      if (position === undefined || Number(position) >= text.length) return;
      expect(said).toContain(`line ${text.slice(0, Number(position)).split('\n').length}: `);
    }),
    { numRuns: cases(5000) },
  );
});

const messageOf = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};
