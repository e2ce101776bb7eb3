// Discovered targets that have responded are kept across a restart of the exporter: no present target is lost.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openDiscoveredMemory } from '../../src/memory/discovered-memory.ts';
import { temporaryFolder } from '../support/events.ts';

const opened = (stateDir: string) => openDiscoveredMemory({ stateDir }, silentLog);
const pods = (count: number, of: string): readonly string[] => Array.from({ length: count }, (_, at) => `pods/${of}-${at}`);

test('while a source fails, previous targets are kept, and above the limit the newest ones', async () => {
  const stateDir = await temporaryFolder();
  const memory = await opened(stateDir);
  await memory.keep(pods(15_000, 'old'), true);
  await memory.keep(['pods/new', ...pods(15_000, 'young')], false);
  for (const { has } of [memory, await opened(stateDir)]) {
    expect(['pods/new', 'pods/young-14999', 'pods/old-0', 'pods/old-14999'].map(has)).toEqual([true, true, true, false]);
  }
  await memory.keep(['pods/new'], true);
  expect(['pods/new', 'pods/old-0'].map((await opened(stateDir)).has)).toEqual([true, false]);
});

test('a deleted file is written again', async () => {
  const stateDir = await temporaryFolder();
  const memory = await opened(stateDir);
  await memory.keep(['pods/a'], true);
  await rm(join(stateDir, 'discovered.json'));
  await memory.keep(['pods/a'], true);
  expect((await opened(stateDir)).has('pods/a')).toBe(false);
  await memory.renew();
  expect((await opened(stateDir)).has('pods/a')).toBe(true);
});
