// Synchronous to disk: a container that is shown would survive the loss of power. No kill can tell, so the system's calls are watched.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../support/bundle.ts';
import { clientOf, lastShown } from '../../support/node-process.ts';
import { describeUnless, forced, toolPath } from '../../support/tools.ts';

const strace = toolPath('strace');
const isRefused = strace !== undefined && spawnSync(strace, ['-D', '-f', '-o', '/dev/null', 'true']).status !== 0;
const obstacle = strace === undefined ? 'not installed: strace' : isRefused ? `the ${forced} to trace` : undefined;

const { signal } = new AbortController();
const patience = { timeout: 280_000, interval: 50 };

describeUnless(obstacle, 'a node that follows its chain', () => {
  test('has every block on the disk before its index shows it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snowgauge-sync-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [scenario, trace] = [join(folder, 'scenario.yaml'), join(folder, 'trace')];
    writeFileSync(scenario, 'chains: { P: { history: 5, blockInterval: 200ms }, X: null, C: null }\n');
    const tracing = [strace ?? '', '-D', '-f', '-qq', '-e', 'trace=fdatasync', '-o', trace] as const;
    const node = [process.execPath, bundle, 'node', '--http-port', '0', '--index-enabled', '--data-dir', join(folder, 'data')];
    const [command, ...args] = [...tracing, ...node, '--scenario', scenario];
    const child = spawn(command ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said, patience).toMatch(/"port":\d+/);
    const client = clientOf(Number(/"port":(\d+)/.exec(said)?.[1]));
    onTestFinished(() => client.close());

    const shown = (): Promise<number> => lastShown(client, 'P/block', signal);
    const synced = (): number => readFileSync(trace, 'utf8').split('fdatasync(').length - 1;
    // Its history came in one write, and so do blocks that came due while it stood still: what was shown one after the other did not.
    await expect.poll(shown, patience).toBeGreaterThanOrEqual(5);
    const ends = new Set<number>();
    await expect.poll(async () => ends.add(await shown()).size, patience).toBeGreaterThan(20);
    child.kill('SIGTERM');
    await exited;
    await expect.poll(synced).toBeGreaterThanOrEqual(20);
  });
});
