// The file next to an export: what was written is read back, and damaged content is not taken as progress.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Checkpoint, checkpointFile, readCheckpoint, removeCheckpoint, writeCheckpoint } from '../../src/walk/checkpoint.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';

const newFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'out');
};

const plain: Checkpoint = { index: 'X/tx', first: 0n, gzip: false, next: 0n, bytes: 0 };

test.each<{ checkpoint: Checkpoint }>([
  { checkpoint: plain },
  { checkpoint: { ...plain, gzip: true, last: 9n, next: 5n, bytes: 70, lastId: '2h5w' } },
  { checkpoint: { ...plain, first: 18_446_744_073_709_551_615n, last: 18_446_744_073_709_551_615n, next: 2n ** 63n } },
])('$checkpoint is read back, and no other file is left next to it', async ({ checkpoint }) => {
  const file = newFile();
  await writeCheckpoint(file, plain);
  await writeCheckpoint(file, checkpoint);
  expect(await readCheckpoint(file)).toEqual({ kind: 'ok', checkpoint });
  expect(existsSync(`${checkpointFile(file)}.new`)).toBe(false);
  await removeCheckpoint(file);
  await removeCheckpoint(file);
  expect(await readCheckpoint(file)).toEqual({ kind: 'none' });
});

const wire = { index: 'X/tx', first: '0', gzip: false, next: '5', bytes: 70, lastId: '2h5w' };

test.each([
  { what: 'no content', text: '' },
  { what: 'half of its content', text: JSON.stringify(wire).slice(0, -9) },
  { what: 'null', text: 'null' },
  { what: 'an unknown index', text: JSON.stringify({ ...wire, index: 'Q/block' }) },
  { what: 'a negative length', text: JSON.stringify({ ...wire, bytes: -1 }) },
  { what: 'a fractional length', text: JSON.stringify({ ...wire, bytes: 0.5 }) },
  { what: 'a malformed number', text: JSON.stringify({ ...wire, next: 'five' }) },
  { what: 'no number', text: JSON.stringify({ ...wire, next: undefined }) },
  { what: 'no gzip member', text: JSON.stringify({ ...wire, gzip: undefined }) },
  { what: 'a malformed id', text: JSON.stringify({ ...wire, lastId: 7 }) },
])('a checkpoint file with $what is unreadable', async ({ text }) => {
  const file = newFile();
  writeFileSync(checkpointFile(file), text);
  expect(await readCheckpoint(file)).toEqual({ kind: 'unreadable' });
});

test('an error of the file system is thrown, not taken as missing progress', async () => {
  const file = newFile();
  mkdirSync(checkpointFile(file));
  await expect(readCheckpoint(file)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(removeCheckpoint(file)).rejects.toMatchObject({ syscall: 'unlink' });
});

test.each(['/dev/zero', '/proc/self/status'])('a checkpoint that links to %s is unreadable', async (target) => {
  const file = newFile();
  symlinkSync(target, checkpointFile(file));
  expect(await readCheckpoint(file)).toEqual({ kind: 'unreadable' });
});

describeWithPipes('pipes', () => {
  test('a checkpoint that is a pipe without a writer is unreadable', async () => {
    const file = newFile();
    await makePipe(checkpointFile(file));
    expect(await readCheckpoint(file)).toEqual({ kind: 'unreadable' });
  });
});
