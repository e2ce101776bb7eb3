// A shown container survives a loss of power. A kill cannot test that, so this test traces system calls.

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
  test('calls fdatasync for each block that its index shows', async () => {
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
    // Its history, and blocks that came due while it was paused, come in one write each. Blocks shown one after the other do not.
    await expect.poll(shown, patience).toBeGreaterThanOrEqual(5);
    const ends = new Set<number>();
    await expect.poll(async () => ends.add(await shown()).size, patience).toBeGreaterThan(20);
    await stop();
    await expect.poll(synced).toBeGreaterThanOrEqual(20);
  });
});
