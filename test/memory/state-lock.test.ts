// The lock on stateDir: when the process is stopped while it takes the lock, when taking it takes long, and when something else is in its
// place.

import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFile } from '../../src/lock-file.ts';
import { silentLog } from '../../src/log.ts';
import { lockStateDir } from '../../src/memory/state-lock.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';

test('a process that is stopped while it takes the lock leaves no lock file', async () => {
  const stateDir = await temporaryFolder();
  const stop = new AbortController();
  const taking = lockStateDir(stateDir, silentLog, stop.signal);
  // The file exists before it has content.
  while (!existsSync(join(stateDir, 'lock'))) await yieldToEventLoop();
  stop.abort();
  const lock = await taking;
  if (lock.kind === 'taken') throw new Error(lock.message);
  await lock.release();
  expect(await readdir(stateDir)).toEqual([]);
});

test.each([
  { place: 'a link', code: 'ELOOP', make: (file: string) => symlink('nowhere', file) },
  { place: 'a folder', code: 'EISDIR', make: (file: string) => mkdir(file) },
])('$place in place of the lock file is logged once with a remedy, and the process still writes', async ({ code, make }) => {
  const stateDir = await temporaryFolder();
  const file = join(stateDir, 'lock');
  await make(file);
  const { said, log } = listeningLog();
  const lock = await lockStateDir(stateDir, log, new AbortController().signal);
  if (lock.kind === 'taken') throw new Error(lock.message);
  onTestFinished(lock.release);
  expect(await lock.isHeld()).toBe(true);
  expect(said).toMatchObject([
    { level: 'error', fields: { file, error: code }, message: expect.stringContaining(`remove ${file}`) },
  ]);
});

test('without a folder for the lock file, the lock is held, and nothing is logged', async () => {
  const { said, log } = listeningLog();
  const lock = await lockStateDir('/proc/nowhere', log, new AbortController().signal);
  expect([lock.kind, said]).toEqual(['held', []]);
  if (lock.kind === 'held') await lock.release();
});

test('a lock that another process turns out to have after the start is logged, and taken when that process has ended', async () => {
  const stateDir = await temporaryFolder();
  const other = await lockFile(join(stateDir, 'lock'));
  if (other.kind === 'taken') throw new Error(other.by);
  const { said, log } = listeningLog();
  // An aborted signal ends the wait for the lock at once, like the time limit.
  const lock = await lockStateDir(stateDir, log, AbortSignal.abort());
  if (lock.kind === 'taken') throw new Error(lock.message);
  onTestFinished(lock.release);
  expect(await lock.isHeld()).toBe(false);
  expect(lock.fault()).toContain('snowgauge no longer writes to it');
  await other.release();
  await expect.poll(lock.isHeld).toBe(true);
  expect(lock.fault()).toBeUndefined();
  expect(said.map(({ level }) => level)).toEqual(['error', 'info']);
});
