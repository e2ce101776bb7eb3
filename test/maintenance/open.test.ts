// The windows of a run at its start: a disk that does not answer must not hold it.

import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openMaintenance } from '../../src/maintenance/open.ts';
import { temporaryFolder } from '../support/events.ts';

test('a file that cannot be read in time is left out', async () => {
  const stateDir = await temporaryFolder();
  const file = join(stateDir, 'maintenance.json');
  // Who opens it waits for somebody who writes.
  execFileSync('mkfifo', [file]);
  const windows = await openMaintenance(
    { stateDir, configured: [], readMs: 20 },
    { now: () => 1_795_176_000, log: silentLog, changed: () => undefined },
  );
  expect(windows.list()).toEqual([]);
  await (await open(file, 'w')).close();
});
