// A text that was refused is looked at again every few seconds, and parsed once.

import { expect, test } from 'vitest';
import { onceRefused } from '../../src/commands/parse.ts';
import { parseConfig } from '../../src/config/load.ts';

test('a refused text is parsed once, and again after another one', async () => {
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
