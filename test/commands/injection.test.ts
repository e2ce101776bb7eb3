// An injected sidecar reports whether the policy that injected it has changed since.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { silentLog } from '../../src/log.ts';
import { startCommand } from '../support/running-command.ts';
import { closedPort } from '../support/serve.ts';

/** Returns a function that scrapes the family from a snowgauge with these variables. */
const serving = async (env: CommandContext['env']): Promise<() => Promise<readonly string[]>> => {
  const node = { SNOWGAUGE_URL: `http://127.0.0.1:${await closedPort()}` };
  const url = await new Promise<string>((resolve) => {
    const info = (fields: object): void => {
      if ('url' in fields) resolve(String(fields.url));
    };
    const log = { ...silentLog, info };
    const running = startCommand(['run', '--listen', '127.0.0.1:0'], { env: { ...node, ...env }, log });
    onTestFinished(async () => {
      running.stop();
      await running.finished;
    });
  });
  return async () => {
    const page = await (await fetch(`${url}/metrics`)).text();
    return page.split('\n').filter((line) => line.startsWith('snowgauge_injection_outdated'));
  };
};

test('snowgauge_injection_outdated compares with the mounted revision: 0 if equal, 1 if not, no sample without the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-injection-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'revision');
  const samples = await serving({ SNOWGAUGE_INJECTION_REVISION: 'abc', SNOWGAUGE_INJECTION_REVISION_FILE: file });
  // The file is not mounted, for example in another namespace than the policy's.
  expect(await samples()).toEqual([]);
  await writeFile(file, 'abc\n');
  expect(await samples()).toEqual(['snowgauge_injection_outdated 0']);
  await writeFile(`${file}.new`, 'def');
  await rename(`${file}.new`, file);
  expect(await samples()).toEqual(['snowgauge_injection_outdated 1']);
  await rm(file);
  expect(await samples()).toEqual([]);
});

test('snowgauge_injection_outdated has no sample without an injected revision', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-injection-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'revision');
  await writeFile(file, 'abc');
  const samples = await serving({ SNOWGAUGE_INJECTION_REVISION_FILE: file });
  expect(await samples()).toEqual([]);
});
