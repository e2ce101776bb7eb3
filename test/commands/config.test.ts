// The `snowgauge config` command.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { typed } from '../support/command.ts';
import { temporaryFolder } from '../support/events.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/config/${name}`, import.meta.url));

const run = (args: readonly string[], env: Record<string, string> = {}) => typed(['config', ...args], { env });

test('check prints a summary of a valid file', async () => {
  const file = fixture('good/full.yaml');
  expect(await run(['check', file])).toEqual({
    stdout: `${file}: ok, 2 targets, 4 tag sets, 2 indexes, indexes auto for 1 target\n`,
    stderr: '',
    code: 0,
  });
});

test('check counts discovery sources', async () => {
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

test('check prints the errors of an invalid file to stderr and exits with 2', async () => {
  const file = fixture('bad/none.yaml');
  expect(await run(['check', file])).toEqual({
    stdout: '',
    stderr: `${file}:1: targets: must have at least 1 entry, unless discovery or probe.allow is configured\n`,
    code: 2,
  });
});

test('check rejects a URL with an API path, in the file and in SNOWGAUGE_URL, without printing secrets', async () => {
  const file = fixture('bad/urls.yaml');
  const { stderr, code } = await run(['check', file], { SECRET: 's3cret' });
  expect({ lines: stderr.trimEnd().split('\n').length, code }).toEqual({ lines: 6, code: 2 });
  expect(stderr).not.toContain('s3cret');
  const started = await run(['check', fixture('good/empty.yaml')], { SNOWGAUGE_URL: 'http://node:9650/ext/health' });
  expect(started.stderr).toContain("contains /ext/health, a path of the node's API: remove /ext/health from the URL\n");
});

test('check exits with 2 for a missing file', async () => {
  const file = fixture('nowhere.yaml');
  expect(await run(['check', file])).toEqual({ stdout: '', stderr: `${file}: cannot be read: there is no such file\n`, code: 2 });
});

test('schema prints JSON', async () => {
  const { stdout } = await run(['schema']);
  expect(JSON.parse(stdout)).toMatchObject({ properties: { targets: { items: { required: ['name', 'url'] } } } });
});
