// File discovery: the first list contains all files, and skipped files are reported.

import { mkdir, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchFiles } from '../../src/discovery/file/file.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';
import { following } from './updates.ts';
import { folderOf, put } from './world.ts';

const addressOf = (at: number): string => `10.0.${at >> 8}.${at & 255}:9650`;

const watchingFiles = async (count: number, settleMs: number) => {
  const folder = await folderOf();
  const write = (at: number) => writeFile(join(folder, `${at}.json`), JSON.stringify([{ targets: [addressOf(at)] }]));
  await Promise.all(Array.from({ length: count }, (_, at) => write(at)));
  return following((context) => watchFiles({ files: [`${folder}/*.json`] }, context, { everyMs: 5000, settleMs }));
};

test('reads many files concurrently', async () => {
  const [count, settleMs] = [200, 500];
  const begun = performance.now();
  const { finds, updates } = await watchingFiles(count, settleMs);
  await finds(...Array.from({ length: count }, (_, at) => addressOf(at)));
  expect(performance.now() - begun).toBeLessThan(count * settleMs);
  expect(updates[0]?.found).toHaveLength(count);
});

test('reads the first 1000 files of a pattern and reports the number of matches', async () => {
  const { fails, addresses } = await watchingFiles(1001, 1);
  await fails(/\*\.json matches 1001 files, of which 1000 are read/);
  expect(addresses()).toHaveLength(1000);
});

test.each(['//lists/*.json', '/./lists/*.json', '/other/../lists/*.json', '/lists//*.json'])(
  'finds the files of the pattern FOLDER%s, and keeps them while the folder is away',
  async (pattern) => {
    const folder = await folderOf();
    const lists = join(folder, 'lists');
    await Promise.all([mkdir(lists), mkdir(join(folder, 'other'))]);
    await put(join(lists, 'a.json'), [{ targets: [addressOf(1)] }]);
    const { finds, fails, addresses } = following((context) =>
      watchFiles({ files: [folder + pattern] }, context, { everyMs: 50, settleMs: 1 }),
    );
    await finds(addressOf(1));
    await rename(lists, join(folder, 'away'));
    await fails(/lists\/?: ENOENT/);
    expect(addresses()).toEqual([addressOf(1)]);
  },
);

test('keeps the previous list while the files together hold more than 8 MiB', async () => {
  const folder = await folderOf();
  const { finds, fails, recovers, addresses } = following((context) =>
    watchFiles({ files: [`${folder}/*.json`] }, context, { everyMs: 50, settleMs: 1 }),
  );
  const list = (at: number): string => JSON.stringify([{ targets: [addressOf(at)] }]);
  await writeFile(join(folder, '0.json'), list(0));
  await finds(addressOf(0));
  const large = join(await folderOf(), 'large');
  const put = async (at: number, text = list(at).padEnd(4 * 1024 * 1024)): Promise<void> => {
    await writeFile(large, text);
    await rename(large, join(folder, `${at}.json`));
  };
  const tooMuch = /the files hold more than 8388608 bytes together/;
  await put(1);
  await put(2);
  await fails(tooMuch);
  expect(addresses()).not.toContain(addressOf(2));
  await unlink(join(folder, '1.json'));
  await recovers();
  expect(addresses()).toEqual([0, 2].map(addressOf));
  // The text kept for an invalid file counts towards the limit too.
  await put(2, '{');
  await fails(/2\.json line 1: not JSON: it ends too early$/);
  await put(3);
  await fails(tooMuch);
  expect(addresses()).toEqual([0, 2].map(addressOf));
});

describe('keeps the previous list and names the file when it is replaced by', () => {
  const replacedBy = async (make: (path: string) => Promise<unknown>): Promise<void> => {
    const [folder, list] = [await folderOf(), [{ targets: [addressOf(1)] }]];
    const [file, kept] = [join(folder, 'a.json'), join(folder, 'b.json')];
    await put(file, list);
    await put(kept, [{ targets: [addressOf(2)] }]);
    const { finds, fails, recovers, addresses } = following((context) =>
      watchFiles({ files: [`${folder}/*.json`] }, context, { everyMs: 50, settleMs: 1 }),
    );
    await finds(addressOf(1), addressOf(2));
    await make(`${file}.other`);
    await rename(`${file}.other`, file);
    await fails(/a\.json cannot be read: it is not a regular file: put one, or a link to one, in its place$/);
    await put(kept, [{ targets: [addressOf(3)] }]);
    await finds(addressOf(1), addressOf(3));
    await put(file, list);
    await recovers();
    expect(addresses()).toEqual([addressOf(1), addressOf(3)]);
  };

  test('a device', () => replacedBy((path) => symlink('/dev/zero', path)));

  describeWithPipes('pipes', () => {
    test('a pipe', () => replacedBy(makePipe));

    test('a link to a pipe', () =>
      replacedBy(async (path) => {
        await mkdir(`${path}.d`);
        await symlink(await makePipe(join(`${path}.d`, 'pipe')), path);
      }));
  });
});

test('follows a symbolic link, and again when it points elsewhere', async () => {
  const [folder, elsewhere] = [await folderOf(), await folderOf()];
  const link = join(folder, 'a.json');
  for (const at of [1, 2]) await put(join(elsewhere, `${at}`), [{ targets: [addressOf(at)] }]);
  await symlink(join(elsewhere, '1'), link);
  const { finds } = following((context) => watchFiles({ files: [link] }, context, { everyMs: 50, settleMs: 1 }));
  await finds(addressOf(1));
  await symlink(join(elsewhere, '2'), `${link}.new`);
  await rename(`${link}.new`, link);
  await finds(addressOf(2));
});
