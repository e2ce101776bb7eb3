// Synchronous to disk: a container that is shown would survive the loss of power. No kill can tell, so the system's calls are watched.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, lastShown } from '../../support/node-process.ts';
import { describeUnless } from '../../support/tools.ts';
import { startTraced, untraceable } from '../../support/traced.ts';

const { signal } = new AbortController();
const patience = { timeout: 280_000, interval: 50 };

describeUnless(untraceable, 'a node that follows its chain', () => {
  test('has every block on the disk before its index shows it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snowgauge-sync-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [scenario, trace] = [join(folder, 'scenario.yaml'), join(folder, 'trace')];
    writeFileSync(scenario, 'chains: { P: { history: 5, blockInterval: 200ms }, X: null, C: null }\n');
    const flags = ['--http-port', '0', '--index-enabled', '--data-dir', join(folder, 'data'), '--scenario', scenario];
    const { said, calls, stop } = startTraced(['node', ...flags], 'fdatasync', trace);
    await expect.poll(said, patience).toMatch(/"port":\d+/);
    const client = clientOf(Number(/"port":(\d+)/.exec(said())?.[1]));
    onTestFinished(() => client.close());

    const shown = (): Promise<number> => lastShown(client, 'P/block', signal);
    const synced = (): number => calls().filter((line) => line.includes('fdatasync(')).length;
    // Its history came in one write, and so do blocks that came due while it stood still: what was shown one after the other did not.
    await expect.poll(shown, patience).toBeGreaterThanOrEqual(5);
    const ends = new Set<number>();
    await expect.poll(async () => ends.add(await shown()).size, patience).toBeGreaterThan(20);
    await stop();
    await expect.poll(synced).toBeGreaterThanOrEqual(20);
  });
});
