// A window that is reported as saved survives a power loss: its file is synced before it is renamed.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/events.ts';
import { describeUnless } from '../support/tools.ts';
import { startTraced, untraceable } from '../support/traced.ts';

const patience = { timeout: 280_000, interval: 50 };

describeUnless(untraceable, 'a window of the API', () => {
  test('is on disk when it is reported as saved', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'snowgauge.json');
    const targets = [{ name: 'node', url: 'http://127.0.0.1:1' }];
    await writeFile(file, JSON.stringify({ stateDir: join(folder, 'state'), targets }));
    const args = ['run', '--config', file, '--listen', '127.0.0.1:0'];
    const { said, calls, stop } = startTraced(args, 'fsync,/rename', join(folder, 'trace'));
    await expect.poll(said, patience).toMatch(/"url":"[^"]+"/);
    const url = /"url":"([^"]+)"/.exec(said())?.[1];
    const body = JSON.stringify({ for: '30m', reason: 'disk' });
    const started = await fetch(`${url}/api/v1/maintenance`, {
      method: 'PUT',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await started.json()).toMatchObject({ saved: true });
    await stop();
    const written = calls().filter((line) => line.includes('maintenance.json') || /fsync(?!.*resumed)/.test(line));
    expect(written.map((line) => /fsync|rename/.exec(line)?.[0])).toEqual(['fsync', 'rename']);
  });
});
