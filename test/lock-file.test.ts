// A lock file that processes share: a live holder is detected and named, and the lock of a dead process is taken over.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { replaceFile } from '../src/file-system.ts';
import { type LockOptions, lockFile } from '../src/lock-file.ts';
import { liveHolder } from '../src/lock-taking.ts';
import { temporaryFolder } from './support/events.ts';
import { noDisk, smallDisk } from './support/small-disk.ts';

/** Waits for a heartbeat longer than the test takes. */
const never: LockOptions = { watchMs: 3_600_000 };
/** Short heartbeat and watch times. */
const soon: LockOptions = { beatMs: 20, watchMs: 200 };

const content = z.looseObject({ pid: z.number(), host: z.string() });

const held = async (path: string, options: LockOptions = never) => {
  const lock = await lockFile(path, options);
  if (lock.kind === 'taken') throw new Error(`taken by ${lock.by}`);
  onTestFinished(lock.release);
  return lock;
};

/** Writes a lock file as a process of this machine and container would leave it. */
const left = async (path: string, over: Readonly<Record<string, unknown>>): Promise<void> => {
  const lock = await held(path);
  const text = await readFile(path, 'utf8');
  await lock.release();
  await writeFile(path, JSON.stringify({ ...content.parse(JSON.parse(text)), ...over }));
};

test('one process holds the lock until it releases it, and the next one learns the name of the holder', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'lock');
  const first = await held(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await lockFile(path, never)).toEqual({ kind: 'taken', by: `pid ${process.pid} on ${hostname()}` });
  await first.release();
  expect(await readdir(folder)).toEqual([]);
  await held(path);
});

test('isHeld() during or after a release is false and does not take the lock again', async () => {
  const folder = await temporaryFolder();
  const lock = await held(join(folder, 'lock'));
  const released = lock.release();
  expect(await lock.isHeld()).toBe(false);
  await released;
  expect(await lock.isHeld()).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

test('a lock of a zombie process is taken over', async () => {
  const path = join(await temporaryFolder(), 'lock');
  // A shell that has replaced itself by another program does not wait for its children.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  const fields = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  await expect.poll(async () => (await fields())[0]).toBe('Z');
  await left(path, { pid, start: (await fields())[19] });
  await held(path);
});

test('a lock of a killed process is taken over at once', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  const start = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[19];
  await left(path, { pid: child.pid, start });
  expect(await lockFile(path, never)).toMatchObject({ kind: 'taken', by: `pid ${child.pid} on ${hostname()}` });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await held(path);
});

test('a lock whose PID was reused by another process is taken over', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await left(path, { pid: process.pid, start: '1' });
  await held(path);
});

test.each([
  ['of another container', JSON.stringify({ pid: process.pid, host: 'b', start: '1', place: 'another' })],
  ['without a /proc', JSON.stringify({ pid: 0, host: 'b' })],
  ['with truncated content', '{"pid":1,"ho'],
  ['with empty content', ''],
])('a lock %s without a heartbeat is taken over after the watch time', async (_, text) => {
  const path = join(await temporaryFolder(), 'lock');
  await writeFile(path, text);
  await held(path, soon);
});

test('a lock of another container with a heartbeat is reported as taken', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await writeFile(path, JSON.stringify({ pid: 7, host: 'validator-0', start: '1', place: 'another' }));
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    // A timestamp that goes back is a heartbeat, too.
    void utimes(path, 1_000_000 - beats, 1_000_000 - beats);
  }, 20);
  onTestFinished(() => clearInterval(timer));
  expect(await lockFile(path, { beatMs: 20, watchMs: 60_000 })).toEqual({ kind: 'taken', by: 'pid 7 on validator-0' });
});

test('updates its heartbeat, restores a deleted lock file, and reports who has taken the lock', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const lost: string[] = [];
  const lock = await held(path, { beatMs: 5, lost: (by) => lost.push(by) });
  const { mtimeMs } = await stat(path);
  await expect.poll(async () => (await stat(path)).mtimeMs, { interval: 5 }).not.toBe(mtimeMs);
  await rm(path);
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { interval: 5 }).toContain('pid');
  await replaceFile(path, JSON.stringify({ pid: 9, host: 'other' }));
  await expect.poll(() => lost, { interval: 5 }).toEqual(['pid 9 on other']);
  await lock.release();
  expect(await liveHolder(path, soon)).toBeUndefined();
});

test('isHeld() detects that another process took the lock, and takes it again when that process is gone', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const told: string[] = [];
  // The other process is watched for longer than this test may be stalled.
  const options = { ...soon, watchMs: 2000, lost: (by: string) => told.push(by), regained: () => told.push('regained') };
  const lock = await held(path, options);
  expect(await lock.isHeld()).toBe(true);
  // As after an hour in which the process was stopped: without a heartbeat of its own in between.
  await replaceFile(path, JSON.stringify({ pid: 9, host: 'other', start: '1', place: 'another' }));
  expect(await lock.isHeld()).toBe(false);
  expect(told).toEqual(['pid 9 on other']);
  await expect.poll(lock.isHeld, { interval: 5 }).toBe(true);
  expect(told).toEqual(['pid 9 on other', 'regained']);
  expect(await readFile(path, 'utf8')).toContain(`"pid":${process.pid},`);
});

test('concurrent calls of isHeld() are true while the lock file is deleted repeatedly', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const lost: string[] = [];
  const lock = await held(path, { beatMs: 1, lost: (by) => lost.push(by) });
  for (let round = 0; round < 50; round += 1) {
    await rm(path, { force: true });
    expect(new Set(await Promise.all(Array.from({ length: 8 }, () => lock.isHeld())))).toEqual(new Set([true]));
  }
  expect(lost).toEqual([]);
});

test('isHeld() fails with the error of the file system if the lock file is unreadable, and is true afterwards', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const lock = await held(path);
  await rm(path);
  await mkdir(path);
  await expect(lock.isHeld()).rejects.toMatchObject({ code: 'EISDIR' });
  await rm(path, { recursive: true });
  expect(await lock.isHeld()).toBe(true);
});

test('release() ends the wait for a lost lock, and leaves the lock file of the other process', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const lock = await held(path, { ...never, beatMs: 5 });
  await writeFile(path, '{"pid":7,"host":"b"}');
  await expect.poll(lock.isHeld, { interval: 5 }).toBe(false);
  await lock.release();
  expect(await readFile(path, 'utf8')).toBe('{"pid":7,"host":"b"}');
});

test('an aborted signal ends the wait for a heartbeat, without the lock', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await writeFile(path, '{"pid":7,"host":"b"}');
  const lock = await held(path, { ...never, signal: AbortSignal.abort() });
  expect(await lock.isHeld()).toBe(false);
  expect(await readFile(path, 'utf8')).toBe('{"pid":7,"host":"b"}');
});

test('holds the lock although that of a dead process cannot be replaced on a read-only disk, until a live one has it', async ({
  skip,
}) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const path = join(disk.folder, 'lock');
  await left(join(disk.folder, 'live'), {});
  await left(path, { pid: process.pid, start: '1' });
  await disk.protect();
  const told: string[] = [];
  const note = {
    lost: (by: string) => told.push(by),
    regained: () => told.push('regained'),
    unusable: () => told.push('unusable'),
  };
  const lock = await held(path, { ...soon, ...note });
  // The second answer follows the first check of the file.
  expect([await lock.isHeld(), await lock.isHeld()]).toEqual([true, true]);
  expect(told).toEqual(['unusable']);
  await disk.unprotect();
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { interval: 5 }).toMatch(/"start":"(?!1")/);
  expect(await lock.isHeld()).toBe(true);
  await rename(join(disk.folder, 'live'), path);
  await expect.poll(lock.isHeld, { interval: 5 }).toBe(false);
  expect(told).toEqual(['unusable', `pid ${process.pid} on ${hostname()}`]);
});

test.for([
  { former: 'that of a dead process', isLeft: true },
  { former: 'none', isLeft: false },
])(
  'does not hold a lock that was never on its disk once another process has written one, if there was $former',
  async ({ isLeft }, { skip }) => {
    const disk = await smallDisk();
    if (disk === undefined) return skip(noDisk);
    const path = join(disk.folder, 'lock');
    await left(join(disk.folder, 'live'), {});
    if (isLeft) await left(path, { pid: process.pid, start: '1' });
    await disk.protect();
    const lock = await held(path, { ...never, beatMs: 3_600_000 });
    if (isLeft) expect([await lock.isHeld(), await lock.isHeld()]).toEqual([true, true]);
    await disk.unprotect();
    await rename(join(disk.folder, 'live'), path);
    expect(await lock.isHeld()).toBe(false);
  },
);

test('replaces links and folders, and holds the lock without a file on a read-only disk', async ({ skip }) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'other'), 'precious');
  await symlink(join(folder, 'other'), join(folder, 'lock'));
  await held(join(folder, 'lock'), soon);
  expect(await readFile(join(folder, 'other'), 'utf8')).toBe('precious');
  await mkdir(join(folder, 'folder'));
  await held(join(folder, 'folder'), soon);

  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await disk.protect();
  const lock = await held(join(disk.folder, 'lock'), soon);
  expect(await lock.isHeld()).toBe(true);
  await disk.unprotect();
  await expect.poll(() => readdir(disk.folder), { interval: 5 }).toEqual(['lock']);
  expect(await lock.isHeld()).toBe(true);
});
