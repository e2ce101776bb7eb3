// The maintenance windows at the start of a run: a disk that does not respond must not block it.

import { expect, onTestFinished, test } from 'vitest';
import { openMaintenance } from '../../src/maintenance/open.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { describeWithPipes, stallDisk } from '../support/pipes.ts';

describeWithPipes('a disk that stalls', () => {
  test('is skipped with a warning after a timeout', async () => {
    const stateDir = await temporaryFolder();
    onTestFinished(await stallDisk());
    const { log, said } = listeningLog();
    const windows = await openMaintenance(
      { stateDir, configured: [], readMs: 20 },
      { now: () => 1_795_176_000, steadyNow: () => 0, log, changed: () => undefined },
    );
    expect(windows.list()).toEqual([]);
    expect(said).toMatchObject([{ level: 'warn', message: 'maintenance windows of an earlier run not read in time: ignored' }]);
  });
});
