// Lists in files: of many files, all are in the first list, and none is left out without a word.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchFiles } from '../../src/discovery/file/file.ts';
import { following } from './updates.ts';
import { folderOf } from './world.ts';

const addressOf = (at: number): string => `10.0.${at >> 8}.${at & 255}:9650`;

const watchingFiles = async (count: number, settleMs: number) => {
  const folder = await folderOf();
  const write = (at: number) => writeFile(join(folder, `${at}.json`), JSON.stringify([{ targets: [addressOf(at)] }]));
  await Promise.all(Array.from({ length: count }, (_, at) => write(at)));
  return following((context) => watchFiles({ files: [`${folder}/*.json`] }, context, { everyMs: 5000, settleMs }));
};

test('many files are read together, and not one after the other', async () => {
  const [count, settleMs] = [200, 200];
  const begun = performance.now();
  const { finds, updates } = await watchingFiles(count, settleMs);
  await finds(...Array.from({ length: count }, (_, at) => addressOf(at)));
  expect(performance.now() - begun).toBeLessThan((count * settleMs) / 2);
  expect(updates).toHaveLength(1);
});

test('what a pattern matches beyond 1000 files is a fault that says so', async () => {
  const { fails, addresses } = await watchingFiles(1001, 1);
  await fails(/\*\.json matches 1001 files, of which 1000 are read/);
  expect(addresses()).toHaveLength(1000);
});
