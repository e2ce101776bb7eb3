// A path may be anything: readers reject everything but regular files at once, and read files up to their limit.

import { symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRegular, readStart, readWhole, readWholeSync } from '../src/regular-file.ts';
import { temporaryFolder } from './support/events.ts';
import { describeWithPipes, makePipe } from './support/pipes.ts';

const readers: readonly { readonly reader: string; readonly read: (file: string) => Promise<string> }[] = [
  { reader: 'readWhole', read: async (file) => (await readWhole(file, 10)).toString() },
  { reader: 'readWholeSync', read: async (file) => readWholeSync(file, 10).toString() },
  { reader: 'readStart', read: (file) => readStart(file, 10, 'followed') },
];

const refusal = /^it is not a regular file: put one, or a link to one, in its place$/;

describe.each(readers)('$reader', ({ read }) => {
  const linkTo = async (target: string): Promise<string> => {
    const file = join(await temporaryFolder(), 'link');
    await symlink(target, file);
    return file;
  };

  test('reads a file through links', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '0123456789');
    expect(await read(await linkTo(await linkTo(file)))).toBe('0123456789');
  });

  test('reads an empty file', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    expect(await read(file)).toBe('');
  });

  test.each(['/dev/zero', '/dev/null'])('rejects a link to %s', async (device) => {
    await expect(read(await linkTo(device))).rejects.toThrow(refusal);
  });

  test('rejects a socket', async () => {
    const file = join(await temporaryFolder(), 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(file, resolve));
    onTestFinished(() => void server.close());
    await expect(read(file)).rejects.toMatchObject({ code: 'ENXIO' });
  });

  test('fails with EISDIR for a folder', async () => {
    await expect(read(await temporaryFolder())).rejects.toMatchObject({ code: 'EISDIR' });
  });

  describeWithPipes('pipes', () => {
    test('rejects a pipe without a writer, and does not wait', async () => {
      const file = await makePipe(join(await temporaryFolder(), 'pipe'));
      await expect(read(file)).rejects.toThrow(refusal);
      await expect(read(await linkTo(file))).rejects.toThrow(refusal);
    });
  });
});

describe.each(readers.slice(0, 2))('$reader', ({ read }) => {
  test.each([
    { what: 'that is one byte too large', bytes: 11 },
    { what: 'of 1 TiB', bytes: 2 ** 40 },
  ])('rejects a file $what', async ({ bytes }) => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await truncate(file, bytes);
    await expect(read(file)).rejects.toThrow(/^it is larger than 10 bytes: make it smaller$/);
  });

  // The kernel reports 0 bytes for every file in /proc.
  test('rejects content above the limit, even if the file size is smaller', async () => {
    await expect(read('/proc/self/maps')).rejects.toThrow(/larger than 10 bytes/);
  });
});

test('a file is read to its end, whatever its size', async () => {
  const [maps, size] = [await readWhole('/proc/self/status', 1_000_000), 4096 * 3 + 5];
  expect(maps.toString()).toMatch(/^Name:.*\nvoluntary_ctxt_switches:.*\nnonvoluntary_ctxt_switches:.*\n$/s);
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, Buffer.alloc(size, 'x'));
  expect((await readWhole(file, size)).toString()).toBe('x'.repeat(size));
  expect(readWholeSync(file, size).toString()).toBe('x'.repeat(size));
});

test('own files are not read through links', async () => {
  const folder = await temporaryFolder();
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  await writeFile(file, 'of somebody else');
  await symlink(file, link);
  await expect(readStart(link, 10)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(openRegular(link, 'refused')).rejects.toMatchObject({ code: 'ELOOP' });
});
