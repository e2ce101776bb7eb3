// An invalid configuration is read again every few seconds, but parsed only when its text changes.

import { expect, test } from 'vitest';
import { onceRefused } from '../../src/commands/parse.ts';
import { parseConfig } from '../../src/config/load.ts';

test('an invalid text is parsed once until the text changes', async () => {
  const texts: string[] = [];
  const parse = onceRefused((text, env) => {
    texts.push(text);
    return parseConfig(text, env);
  });
  const good = 'targets: [{ name: a, url: "http://127.0.0.1:9" }]';
  const kinds: string[] = [];
  for (const text of ['nets: 1', 'nets: 1', good, good, 'nets: 1']) kinds.push((await parse(text, {})).kind);
  expect(kinds).toEqual(['invalid', 'invalid', 'ok', 'ok', 'invalid']);
  expect(texts).toEqual(['nets: 1', good, good, 'nets: 1']);
});
