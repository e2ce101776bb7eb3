// The file of an export: its content, which part of it is safe, and when.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type Checkpoint, checkpointFile, readCheckpoint } from '../../src/walk/checkpoint.ts';
import { type ExportFile, openExportFile } from '../../src/walk/export-file.ts';
import { randomOf } from '../support/random.ts';

const mebibyte = 2 ** 20;

const newFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-export-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'out');
};

const from: Checkpoint = { index: 'P/block', first: 0n, gzip: false, next: 0n, bytes: 0 };

const opened = async (path: string, checkpoint: Checkpoint, exists: boolean): Promise<ExportFile> => {
  const file = await openExportFile(path, checkpoint, exists);
  onTestFinished(() => file.close().catch(() => undefined));
  return file;
};

const lines = (length: number, letter = 'a'): string => letter.repeat(length);

const hexOfTail = (path: string): string => readFileSync(path).subarray(-32).toString('hex');

test.each([false, true])('bytes beyond the checkpoint are cut off, however many (gzip: %j)', async (gzip) => {
  const path = newFile();
  const first = await opened(path, { ...from, gzip }, false);
  await first.add(lines(1000), 1n, 'one');
  await first.save();
  await first.close();
  const read = await readCheckpoint(path);
  if (read.kind !== 'ok') throw new Error('it was saved');
  expect(read.checkpoint).toEqual({ ...from, gzip, next: 1n, lastId: 'one', bytes: statSync(path).size, tail: hexOfTail(path) });
  writeFileSync(path, 'torn'.repeat(mebibyte), { flag: 'a' });
  const second = await opened(path, read.checkpoint, true);
  await second.add(lines(10, 'b'), 2n, 'two');
  await second.finish();
  await second.close();
  const bytes = readFileSync(path);
  expect((gzip ? gunzipSync(bytes) : bytes).toString()).toBe(`${'a'.repeat(1000)}${'b'.repeat(10)}`);
});

test('an existing file is not taken as a new one', async () => {
  const path = newFile();
  writeFileSync(path, 'mine');
  await expect(openExportFile(path, from, false)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('at most 1 MiB is buffered, and written bytes are not safe yet', async () => {
  const path = newFile();
  const file = await opened(path, from, false);
  await file.add(lines(mebibyte - 1), 1n, 'one');
  expect(statSync(path).size).toBe(0);
  await file.add(lines(1), 2n, 'two');
  await expect.poll(() => statSync(path).size).toBe(mebibyte);
  expect(existsSync(checkpointFile(path))).toBe(false);
});

test('a checkpoint is saved after 16 MiB while more is fetched', async () => {
  const path = newFile();
  const file = await opened(path, from, false);
  for (let next = 1n; next <= 16n; next += 1n) await file.add(lines(mebibyte), next, `id ${next}`);
  await expect
    .poll(() => readCheckpoint(path))
    .toEqual({ kind: 'ok', checkpoint: { ...from, next: 16n, lastId: 'id 16', bytes: 16 * mebibyte, tail: '61'.repeat(32) } });
});

test('a finished export has no checkpoint, even if one was being written', async () => {
  for (let round = 0; round < 3; round += 1) {
    const path = newFile();
    const file = await opened(path, from, false);
    await file.add(lines(17 * mebibyte), 1n, 'one');
    await file.finish();
    await file.close();
    expect([existsSync(checkpointFile(path)), statSync(path).size]).toEqual([false, 17 * mebibyte]);
  }
});

test('saving writes everything, and a stretch without containers keeps the last id', async () => {
  const path = newFile();
  const file = await opened(path, from, false);
  await file.add(lines(10), 1n, 'one');
  await file.add(lines(0), 5n, undefined);
  await file.add(lines(10), 7n, undefined);
  await file.save();
  expect(await readCheckpoint(path)).toEqual({
    kind: 'ok',
    checkpoint: { ...from, next: 7n, lastId: 'one', bytes: 20, tail: hexOfTail(path) },
  });
  expect(readFileSync(path, 'utf8')).toBe('a'.repeat(20));
});

test.each([false, true])('batches of any length arrive complete and in order (gzip: %j)', async (gzip) => {
  const path = newFile();
  const file = await opened(path, { ...from, gzip }, false);
  const random = randomOf(1);
  let expected = '';
  for (let next = 1n; next <= 60n; next += 1n) {
    const letter = String.fromCharCode(97 + Number(next % 26n));
    const length = Math.floor(random() ** 3 * 3 * mebibyte);
    await file.add(lines(length, letter), next, `id ${next}`);
    expected += letter.repeat(length);
  }
  await file.finish();
  const bytes = readFileSync(path);
  expect((gzip ? gunzipSync(bytes) : bytes).equals(Buffer.from(expected))).toBe(true);
});
