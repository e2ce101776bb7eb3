// The windows of a run at its start: a disk that does not answer must not hold it.

import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openMaintenance } from '../../src/maintenance/open.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWithPipes, stallDisk } from '../support/pipes.ts';

describeWithPipes('a disk that stalls', () => {
  test('leaves out what cannot be read in time', async () => {
    const stateDir = await temporaryFolder();
    onTestFinished(await stallDisk());
    const windows = await openMaintenance(
      { stateDir, configured: [], readMs: 20 },
      { now: () => 1_795_176_000, log: silentLog, changed: () => undefined },
    );
    expect(windows.list()).toEqual([]);
  });
});
