// Discovered targets that have answered, kept across a restart of the exporter: not one of those that are there is ever lost.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openDiscoveredMemory } from '../../src/memory/discovered-memory.ts';
import { temporaryFolder } from '../support/events.ts';

const opened = (stateDir: string) => openDiscoveredMemory({ stateDir }, silentLog);

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
