// How an export ends if something goes wrong: with which result, and what it leaves behind.

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkpointFile, writeCheckpoint } from '../../src/walk/checkpoint.ts';
import { type Exported, type ExportOptions, exportIndex } from '../../src/walk/export.ts';
import { lineOf } from '../../src/walk/line.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';

const newFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-export-ends-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'out.ndjson');
};

const containers = containersOf(3000);
const textOf = (count: number): string => containers.slice(0, count).map(lineOf).join('');

const exporting = async (file: string, odd?: Odd, over: Partial<ExportOptions> = {}): Promise<Exported> => {
  const { url } = await serveIndex({ containers, ...(odd !== undefined && { odd }) });
  return exportIndex({ asking: askingAt(url).asking, first: 0n, concurrency: 1, file, gzip: false, ...over });
};

const refusedFrom =
  (number: number): Odd =>
  ({ params }) =>
    Number(params.startIndex ?? -1) >= number ? { status: 400 } : undefined;

/** Whether this process has the file open. */
const isOpen = (file: string): boolean =>
  readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  });

test('the checkpoint exists before the first container is requested, so a file without one is never ours', async () => {
  const file = newFile();
  const seen: boolean[] = [];
  await exporting(file, ({ method }) => {
    if (method === 'index.getContainerRange') seen.push(existsSync(checkpointFile(file)));
    return undefined;
  });
  expect(seen).toEqual([true, true, true]);
});

test('an index that leaves out a container is not exported past the gap', async () => {
  const file = newFile();
  const odd: Odd = ({ params }) =>
    params.startIndex === '1024'
      ? {
          result: containers
            .slice(1024, 2048)
            .filter(({ index }) => index !== 1500n)
            .map((one) => ({ ...one, index: `${one.index}` })),
        }
      : undefined;
  expect(await exporting(file, odd)).toMatchObject({ kind: 'interrupted', next: 1024n, failure: { kind: 'malformed' } });
  expect(readFileSync(file, 'utf8')).toBe(textOf(1024));
});

test('an export that is aborted after the last container has all lines, and resuming only completes it', async () => {
  const file = newFile();
  const { url, asked } = await serveIndex({ containers });
  const { asking, abort } = askingAt(url);
  const stopped = await exporting(file, undefined, { asking, onProgress: ({ next }) => next === 3000n && abort() });
  expect(stopped).toEqual({ kind: 'interrupted', next: 3000n, failure: { kind: 'network', reason: 'aborted' } });
  expect(readFileSync(file, 'utf8')).toBe(textOf(3000));
  const before = asked.length;
  expect(await exporting(file, undefined, { asking: askingAt(url).asking })).toEqual({
    kind: 'done',
    resumedAt: 3000n,
    next: 3000n,
  });
  expect(asked.slice(before).map(({ method }) => method)).toEqual(['index.getContainerByIndex', 'index.getLastAccepted']);
});

test('an export whose network cannot be verified is interrupted and can be resumed', async () => {
  const file = newFile();
  await exporting(file, refusedFrom(1024));
  const odd: Odd = ({ method }) => (method === 'index.getContainerByIndex' ? { status: 400 } : undefined);
  const failure = { kind: 'http-status', status: 400 };
  expect(await exporting(file, odd)).toMatchObject({ kind: 'interrupted', next: 1024n, failure });
  expect(await exporting(file)).toEqual({ kind: 'done', resumedAt: 1024n, next: 3000n });
});

test('an internal error is thrown, not reported as a file system error', async () => {
  const file = newFile();
  const onProgress = (): never => {
    throw new TypeError('a fault of ours');
  };
  await expect(exporting(file, undefined, { onProgress })).rejects.toThrow('a fault of ours');
  expect(isOpen(file)).toBe(false);
});

test('the file is closed however the export ends', async () => {
  const file = newFile();
  const open: boolean[] = [];
  await exporting(file, refusedFrom(1024), { onProgress: () => open.push(isOpen(file)) });
  expect([...open, isOpen(file)]).toEqual([true, false]);
  await exporting(file);
  expect(isOpen(file)).toBe(false);
});

test('of two concurrent exports to one file one is refused and names the other', async () => {
  const file = newFile();
  let end = (): void => undefined;
  const oneEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  // The writing export waits until the other one has looked.
  const odd: Odd = ({ params }) => (params.startIndex === '1024' ? { wait: oneEnded } : undefined);
  const both = [exporting(file, odd), exporting(file, odd)];
  for (const one of both) void one.then(end);
  const ends = await Promise.all(both);
  expect(ends.map(({ kind }) => kind).sort()).toEqual(['done', 'refused']);
  const refusal = ends.find(({ kind }) => kind === 'refused');
  expect(refusal).toMatchObject({
    reason: expect.stringMatching(
      / is being written by another export \(pid \d+ on .+\): wait for its end, or name another file$/,
    ),
  });
  expect(readFileSync(file, 'utf8')).toBe(textOf(3000));
  expect(readdirSync(dirname(file))).toEqual(['out.ndjson']);
});

/** The lock of an export on another host, of which only the name is known. */
const elsewhere = JSON.stringify({ pid: 7, host: 'validator-0', place: 'another host' });

test('an export that is aborted while it waits for one on another host leaves that file unchanged', async () => {
  const file = newFile();
  await writeCheckpoint(file, { index: 'P/block', first: 0n, gzip: false, next: 0n, bytes: 0 });
  writeFileSync(file, textOf(10));
  writeFileSync(`${file}.lock`, elsewhere);
  const { asking, abort } = askingAt('http://127.0.0.1:9');
  const stopped = exporting(file, undefined, { asking });
  abort();
  expect(await stopped).toEqual({ kind: 'interrupted', next: 0n, failure: { kind: 'network', reason: 'aborted' } });
  expect(readFileSync(file, 'utf8')).toBe(textOf(10));
  expect(readdirSync(dirname(file)).sort()).toEqual(['out.ndjson', 'out.ndjson.lock', 'out.ndjson.progress']);
});

test.each([
  { when: 'before its first container', at: 0 },
  { when: 'before a later one', at: 1024 },
])('an export whose lock another host takes $when writes nothing more', async ({ at }) => {
  const file = newFile();
  const odd: Odd = ({ params }) => {
    if (params.startIndex !== `${at}`) return undefined;
    // Like the other host: the lock is replaced atomically.
    writeFileSync(`${file}.other`, elsewhere);
    renameSync(`${file}.other`, `${file}.lock`);
    writeFileSync(file, 'of the other');
    return at === 0 ? { status: 400 } : undefined;
  };
  expect(await exporting(file, odd)).toEqual({
    kind: 'unwritable',
    reason: 'another export took it over (pid 7 on validator-0): wait for its end',
  });
  expect(readFileSync(file, 'utf8')).toBe('of the other');
  expect(existsSync(checkpointFile(file))).toBe(true);
});

test('a dangling symlink is refused, and no other file is left next to it', async () => {
  const file = newFile();
  symlinkSync('nowhere', file);
  expect(await exporting(file)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('exists') });
  expect(readdirSync(dirname(file))).toEqual(['out.ndjson']);
});

test('a node that returns more than requested interrupts the export, so nothing is written twice', async () => {
  const file = newFile();
  const odd: Odd = ({ params }) => {
    const start = Number(params.startIndex);
    return Number.isNaN(start)
      ? undefined
      : { result: containers.slice(start, start + 1024).map((one) => ({ ...one, index: `${one.index}` })) };
  };
  expect(await exporting(file, odd, { last: 19n })).toMatchObject({
    kind: 'interrupted',
    next: 0n,
    failure: { kind: 'malformed', reason: '1024 containers returned instead of 20' },
  });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a path below a regular file gives ENOTDIR and its remedy', async () => {
  const above = newFile();
  writeFileSync(above, '');
  expect(await exporting(join(above, 'out'))).toEqual({
    kind: 'unwritable',
    reason: 'ENOTDIR: not a directory: name a file in a directory that exists',
  });
});

test('a read-only file system gives an error that names the folder and no temporary file', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await disk.protect();
  expect(await exporting(join(disk.folder, 'out'))).toEqual({
    kind: 'unwritable',
    reason: `EROFS: read-only file system: let this user write to ${disk.folder}, or name a file in another directory`,
  });
});

test('a full disk gives an error that says where to make room', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await disk.fill();
  expect(await exporting(join(disk.folder, 'out'))).toEqual({
    kind: 'unwritable',
    reason: `ENOSPC: no space left on device: make room in ${disk.folder}, and run again to resume`,
  });
});
