// The lock on a stateDir of a run that is told to end while it takes it.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { lockStateDir } from '../../src/memory/state-lock.ts';
import { nextTurn } from '../../src/pause.ts';
import { temporaryFolder } from '../support/events.ts';

test('who is told to end while the lock is taken leaves none behind', async () => {
  const stateDir = await temporaryFolder();
  const stop = new AbortController();
  const taking = lockStateDir(stateDir, silentLog, stop.signal);
  // It is there before it has been written.
  while (!existsSync(join(stateDir, 'lock'))) await nextTurn();
  stop.abort();
  const lock = await taking;
  if (lock.kind === 'taken') throw new Error(lock.message);
  await lock.release();
  expect(await readdir(stateDir)).toEqual([]);
});
