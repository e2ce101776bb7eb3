// docs/configuration.md and the JSON Schema match the schema.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file says

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { configurationDoc, exampleConfig } from '../../scripts/docs/configuration.ts';
import { restartSettings } from '../../src/commands/reload.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { parseConfig } from '../../src/config/load.ts';

const accepts = (yaml: string): boolean =>
  z.fromJSONSchema(JSON.parse(JSON.stringify(configJsonSchema()))).safeParse(parse(yaml)).success;

test('docs/configuration.md is up to date', () => {
  expect(readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')).toBe(configurationDoc());
});

test('the example in the documentation is valid', async () => {
  expect(await parseConfig(exampleConfig, {})).toMatchObject({ kind: 'ok' });
});

test('the JSON Schema is draft-07', () => {
  expect(configJsonSchema()).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' });
});

test.each([
  ['the example', exampleConfig, true],
  ['a file without targets', 'listen: {}', true],
  ['a variable as a number', 'listen: { port: "${PORT}" }', true],
  [
    'a variable as a duration, name or size',
    'targets: [{ name: "${N}", url: "${U}", timeout: "${T}", maxBodySize: "${S}", indexes: ["${I}"] }]',
    true,
  ],
  ['indexes: auto', 'targets: [{ name: a, url: "http://a", indexes: auto }]', true],
  ['a string as a number', 'listen: { port: many }', false],
  ['an unknown key', 'colour: red', false],
  ['an unknown key of a target', 'targets: [{ name: a, url: "http://a", colour: red }]', false],
  ['a target without a url', 'targets: [{ name: a }]', false],
  ['a duration without a unit', 'targets: [{ name: a, url: "http://a", timeout: "5" }]', false],
  ['an unknown index', 'targets: [{ name: a, url: "http://a", indexes: [P/blocks] }]', false],
])('the JSON Schema accepts or rejects %s', (_, yaml, isRight) => {
  expect(accepts(yaml)).toBe(isRight);
});

test('a reload reports every setting that needs a restart according to the document', () => {
  const documented = [...configurationDoc().matchAll(/^\| `([\w.]+)` \|.*\| restart \|/gm)].map(([, path = '']) => path);
  const reported = restartSettings.map(({ setting }) => setting);
  const isReported = (path: string): boolean => reported.some((known) => `${path}.`.startsWith(`${known}.`));
  expect(documented.length).toBeGreaterThan(10);
  expect(documented.filter((path) => !isReported(path))).toEqual([]);
});

test('every setting has a description, and its default and variable are listed', () => {
  const doc = configurationDoc();
  expect(doc).toContain('| `listen.port` | `9652` | `SNOWGAUGE_LISTEN_PORT` |');
  expect(doc).toContain('| `targets[].healthCheckFrequency` | `30s` |');
  expect(doc).toContain('| `targets[].timeout` | `5s` |');
  expect(doc.split('\n').filter((line) => line.startsWith('| `') && line.endsWith('|  |'))).toEqual([]);
});
