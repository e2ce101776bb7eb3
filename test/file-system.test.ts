// Folders are made with all above them, or refused with what the file system says: never is there no answer.

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../src/file-system.ts';

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'snowgauge-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

test.each(['', 'a', 'a/b/c', 'a/./b/../c/'])('makes %j, with what is above it, as often as it is asked to', async (name) => {
  const path = `${folder()}/${name}`;
  await Promise.all([makeFolder(path), makeFolder(path)]);
  await makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test.each(['/proc/nope', '/proc/nope/deeper/still', '/proc/self/nope'])('ends where nothing can be made: %s', async (path) => {
  await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' });
});

test('a file in the way is told', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
