// A sidecar that was injected says whether the policy that made it is another one by now.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { silentLog } from '../../src/log.ts';
import { startCommand } from '../support/running-command.ts';
import { closedPort } from '../support/serve.ts';

/** The samples of the family on the page of a snowgauge with these variables, asked as often as wanted. */
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

test('by the mounted revision of now: the same, another, and none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-injection-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'revision');
  const samples = await serving({ SNOWGAUGE_INJECTION_REVISION: 'abc', SNOWGAUGE_INJECTION_REVISION_FILE: file });
  // Not mounted, as in another namespace than the policy's: nobody knows.
  expect(await samples()).toEqual([]);
  await writeFile(file, 'abc\n');
  expect(await samples()).toEqual(['snowgauge_injection_outdated 0']);
  await writeFile(`${file}.new`, 'def');
  await rename(`${file}.new`, file);
  expect(await samples()).toEqual(['snowgauge_injection_outdated 1']);
  await rm(file);
  expect(await samples()).toEqual([]);
});

test('and one that was not injected says nothing of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-injection-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'revision');
  await writeFile(file, 'abc');
  const samples = await serving({ SNOWGAUGE_INJECTION_REVISION_FILE: file });
  expect(await samples()).toEqual([]);
});
