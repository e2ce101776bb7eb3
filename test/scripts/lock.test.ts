// Of two processes that start at once in one clone, the second waits; the lock of a killed process is taken over.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../../scripts/lock.mjs';

const lockModule = new URL('../../scripts/lock.mjs', import.meta.url).href;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snowgauge-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('work under one lock never overlaps', async () => {
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise(setImmediate);
    events.push(`${name} ends`);
  };
  await Promise.all(['a', 'b', 'c'].map((name) => withLock('x', work(name), folder)));
  for (const at of [0, 2, 4]) expect(events[at + 1]).toBe(events[at]?.replace('begins', 'ends'));
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock is released when the work fails', async () => {
  const failing = () => Promise.reject(new Error('no'));
  await expect(withLock('x', failing, folder)).rejects.toThrow('no');
  await expect(withLock('x', async () => 'yes', folder)).resolves.toBe('yes');
});

test('a lock whose holder is dead is taken over', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(folder, '.x.lock'), String(pid));
  await expect(withLock('x', async () => 'yes', folder)).resolves.toBe('yes');
});

test('without hard links, the wait for a lock ends with the error of the file system', () => {
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.linkSync = () => { throw Object.assign(new Error('EPERM: not permitted'), { code: 'EPERM' }); };
    syncBuiltinESMExports();
    const { withLock } = await import(${JSON.stringify(lockModule)});
    await withLock('x', async () => undefined, ${JSON.stringify(folder)});
  `;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 60_000 });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain(
    `cannot create ${join(folder, '.x.lock')}: Error: EPERM: not permitted: its folder must be on a file system with hard links`,
  );
  expect(ran.stderr).not.toContain('waiting for another process');
  expect(readdirSync(folder)).toEqual([]);
});
