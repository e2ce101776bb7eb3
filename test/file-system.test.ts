// Folders are created with their parents, or fail with the error of the file system. Files are replaced through temporary files
// with random names.

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder, replaceFile } from '../src/file-system.ts';

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'snowgauge-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

test.each(['', 'a', 'a/b/c', 'a/./b/../c/'])('creates %j with its parents, also concurrently and repeatedly', async (name) => {
  const path = `${folder()}/${name}`;
  await Promise.all([makeFolder(path), makeFolder(path)]);
  await makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test.each(['/proc/nope', '/proc/nope/deeper/still', '/proc/self/nope'])(
  'fails where no folder can be created: %s',
  async (path) => {
    await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' });
  },
);

test('fails with ENOTDIR if a parent is a file', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.each(['tmp', 'PID.tmp', '0.tmp'])('a link at FILE.%s is not followed, and does not block the write', async (end) => {
  const dir = folder();
  const link = join(dir, `state.json.${end.replace('PID', `${process.pid}`)}`);
  const [file, other] = [join(dir, 'state.json'), join(dir, 'other')];
  writeFileSync(other, 'theirs');
  symlinkSync(other, link);
  expect(await replaceFile(file, 'ours')).toBe(true);
  expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8'), readlinkSync(link)]).toEqual(['ours', 'theirs', other]);
});

test('two writes at once use two temporary files with random names, and leave none', async () => {
  const dir = folder();
  const file = join(dir, 'state.json');
  const names = new Set<string>();
  let arrived = 0;
  let goOn = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const mayReplace = async (): Promise<boolean> => {
    arrived += 1;
    if (arrived === 2) goOn();
    await both;
    for (const name of readdirSync(dir)) if (name !== basename(file)) names.add(name);
    return true;
  };
  const written = await Promise.all(['a', 'b'].map((text) => replaceFile(file, text, { mayReplace })));
  expect(written).toEqual([true, true]);
  expect(names.size).toBe(2);
  for (const name of names) expect(name).toMatch(/^state\.json\.[0-9a-f]{16}\.tmp$/);
  expect(readdirSync(dir)).toEqual(['state.json']);
});
