// Discovered targets that have answered, kept across a restart of the exporter: not one of those that are there is ever lost.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openDiscoveredMemory } from '../../src/memory/discovered-memory.ts';
import { temporaryFolder } from '../support/events.ts';

const opened = (stateDir: string) => openDiscoveredMemory({ stateDir }, silentLog);
const pods = (count: number, of: string): readonly string[] => Array.from({ length: count }, (_, at) => `pods/${of}-${at}`);

test('while a source fails others are kept, and the newest of more than there may be', async () => {
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

test('the file is written anew where somebody has taken it away', async () => {
  const stateDir = await temporaryFolder();
  const memory = await opened(stateDir);
  await memory.keep(['pods/a'], true);
  await rm(join(stateDir, 'discovered.json'));
  await memory.keep(['pods/a'], true);
  expect((await opened(stateDir)).has('pods/a')).toBe(false);
  await memory.renew();
  expect((await opened(stateDir)).has('pods/a')).toBe(true);
});
