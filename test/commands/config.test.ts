// `snowgauge config` as it is typed.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { typed } from '../support/command.ts';
import { temporaryFolder } from '../support/events.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/config/${name}`, import.meta.url));

const run = (args: readonly string[], env: Record<string, string> = {}) => typed(['config', ...args], { env });

test('a good file is ok', async () => {
  const file = fixture('good/full.yaml');
  expect(await run(['check', file])).toEqual({
    stdout: `${file}: ok, 2 targets, 4 tag sets, 2 indexes, indexes auto for 1 target\n`,
    stderr: '',
    code: 0,
  });
});

test('sources of discovery are counted where there are any', async () => {
  const file = join(await temporaryFolder(), 'snowgauge.yaml');
  await writeFile(
    file,
    'discovery: { file: [{ files: [/etc/targets/*.json] }], dns: [{ names: [a], type: A }, { names: [b], type: SRV }] }',
  );
  expect(await run(['check', file])).toEqual({
    stdout: `${file}: ok, 0 targets, 0 tag sets, 0 indexes, 3 discovery sources\n`,
    stderr: '',
    code: 0,
  });
});

test('a bad file has its errors on stderr and ends with 2', async () => {
  const file = fixture('bad/none.yaml');
  expect(await run(['check', file])).toEqual({
    stdout: '',
    stderr: `${file}:1: targets: must have at least 1 entry, unless discovery or probe.allow is configured\n`,
    code: 2,
  });
});

test('a url that holds a path of the API is an error, in the file as in SNOWGAUGE_URL', async () => {
  const file = fixture('bad/urls.yaml');
  const { stderr, code } = await run(['check', file], { SECRET: 's3cret' });
  expect({ lines: stderr.trimEnd().split('\n').length, code }).toEqual({ lines: 6, code: 2 });
  expect(stderr).not.toContain('s3cret');
  const started = await run(['check', fixture('good/empty.yaml')], { SNOWGAUGE_URL: 'http://node:9650/ext/health' });
  expect(started.stderr).toContain("contains /ext/health, a path of the node's API: remove /ext/health from the URL\n");
});

test('a file that is not there ends with 2', async () => {
  const file = fixture('nowhere.yaml');
  expect(await run(['check', file])).toEqual({ stdout: '', stderr: `${file}: cannot be read: there is no such file\n`, code: 2 });
});

test('schema prints JSON', async () => {
  const { stdout } = await run(['schema']);
  expect(JSON.parse(stdout)).toMatchObject({ properties: { targets: { items: { required: ['name', 'url'] } } } });
});
