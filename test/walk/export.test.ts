// An export is interrupted in every way and resumed: nothing is lost and nothing is duplicated.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { Container } from '../../src/protocol/container.ts';
import { type Checkpoint, writeCheckpoint } from '../../src/walk/checkpoint.ts';
import { type Exported, type ExportOptions, exportIndex, exportLines } from '../../src/walk/export.ts';
import { lineOf } from '../../src/walk/line.ts';
import { askingAt, containersOf, type IndexServer, type Odd, serveIndex } from '../support/index-server.ts';

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'snowgauge-export-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const exporting = (url: string, file: string, over: Partial<ExportOptions> = {}): Promise<Exported> =>
  exportIndex({ asking: askingAt(url).asking, first: 0n, concurrency: 3, file, gzip: file.endsWith('.gz'), ...over });

const textOf = (file: string): string => (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString();

const wholeOf = (containers: readonly Container[]): string => containers.map(lineOf).join('');

/** Refuses all requests from this number on, as a node with a permanent fault; from -1 on also the newest container. */
const brokenFrom =
  (number: number): Odd =>
  ({ params }) =>
    Number(params.startIndex ?? -1) >= number ? { status: 400 } : undefined;

const large = containersOf(5000, 500);

test.each(['out.ndjson', 'out.ndjson.gz'])('%s has all containers, one per line, and no other file next to it', async (name) => {
  const containers = containersOf(3000);
  const { url } = await serveIndex({ containers });
  const file = join(folder(), name);
  expect(await exporting(url, file)).toEqual({ kind: 'done', next: 3000n });
  expect(textOf(file)).toBe(wholeOf(containers));
  expect(existsSync(`${file}.progress`)).toBe(false);
});

test('a line holds the members of the API, the number as text', async () => {
  const [container] = containersOf(1);
  const { url } = await serveIndex({ containers: containersOf(1) });
  const file = join(folder(), 'out.ndjson');
  await exporting(url, file);
  expect(JSON.parse(textOf(file))).toEqual({ ...container, index: '0' });
});

test.each(['out.ndjson', 'out.ndjson.gz'])('an export to %s resumes after a server error', async (name) => {
  const file = join(folder(), name);
  const first = await serveIndex({ containers: large, odd: brokenFrom(3072) });
  expect(await exporting(first.url, file)).toMatchObject({ kind: 'interrupted', next: 3072n, failure: { kind: 'http-status' } });
  const second = await serveIndex({ containers: large });
  expect(await exporting(second.url, file)).toEqual({ kind: 'done', resumedAt: 3072n, next: 5000n });
  expect(textOf(file)).toBe(wholeOf(large));
  // Containers that were already written are not fetched again.
  expect(second.asked.filter(({ method }) => method === 'index.getContainerRange')[0]?.params.startIndex).toBe('3072');
});

test.each(['out.ndjson', 'out.ndjson.gz'])('an incomplete end of %s is cut off, and nothing is duplicated', async (name) => {
  const file = join(folder(), name);
  const first = await serveIndex({ containers: large, odd: brokenFrom(2048) });
  await exporting(first.url, file);
  // A killed process leaves more than its checkpoint says: complete lines and part of one.
  writeFileSync(file, `${lineOf(large[2048] ?? ({} as never))}{"index":"2049","id":"2h5w`, { flag: 'a' });
  const second = await serveIndex({ containers: large });
  expect(await exporting(second.url, file)).toMatchObject({ kind: 'done', resumedAt: 2048n });
  expect(textOf(file)).toBe(wholeOf(large));
});

test('an aborted export keeps what it has and resumes there', async () => {
  const file = join(folder(), 'out.ndjson');
  const { url } = await serveIndex({ containers: large });
  const { asking, abort } = askingAt(url);
  const stopped = await exporting(url, file, { asking, onProgress: ({ next }) => next >= 2048n && abort() });
  expect(stopped).toMatchObject({ kind: 'interrupted', failure: { kind: 'network' } });
  const next = stopped.kind === 'interrupted' ? stopped.next : 0n;
  expect(next).toBeGreaterThanOrEqual(2048n);
  expect(textOf(file)).toBe(wholeOf(large.slice(0, Number(next))));
  expect(await exporting(url, file)).toMatchObject({ kind: 'done', resumedAt: next });
  expect(textOf(file)).toBe(wholeOf(large));
});

test('progress counts all containers and says where it resumed', async () => {
  const file = join(folder(), 'out');
  const seen: string[] = [];
  const onProgress: ExportOptions['onProgress'] = ({ first, resumedAt, next, end }) =>
    seen.push(`${first} ${resumedAt} ${next} ${end}`);
  const containers = containersOf(2000);
  await exporting((await serveIndex({ containers, odd: brokenFrom(1024) })).url, file, { onProgress });
  await exporting((await serveIndex({ containers })).url, file, { onProgress });
  expect(seen).toEqual(['0 0 1024 2000', '0 1024 2000 2000']);
});

test('first and last limit the lines, both inclusive', async () => {
  const containers = containersOf(100);
  const { url } = await serveIndex({ containers });
  const file = join(folder(), 'out.ndjson');
  expect(await exporting(url, file, { first: 10n, last: 19n })).toEqual({ kind: 'done', next: 20n });
  expect(textOf(file)).toBe(wholeOf(containers.slice(10, 20)));
});

test.each([
  { index: 'an empty index', count: 0, first: 0n },
  { index: 'an index that ends right before the first number', count: 10, first: 10n },
  { index: 'an index that ends earlier', count: 10, first: 11n },
  { index: 'an index that ends before both numbers', count: 10, first: 11n, last: 12n },
])('$index exports nothing and leaves no file', async ({ count, first, ...over }) => {
  const { url } = await serveIndex({ containers: containersOf(count) });
  const dir = folder();
  expect(await exporting(url, join(dir, 'out.ndjson'), { first, ...over })).toEqual({ kind: 'nothing', size: BigInt(count) });
  expect(readdirSync(dir)).toEqual([]);
});

test.each([
  { end: 'the node never answers', odd: brokenFrom(-1) },
  { end: 'the node returns only its newest container', odd: brokenFrom(0) },
])('if $end, no file is left', async ({ odd }) => {
  const { url } = await serveIndex({ containers: large, odd });
  const dir = folder();
  expect(await exporting(url, join(dir, 'out.ndjson'))).toMatchObject({ kind: 'interrupted', next: 0n });
  expect(readdirSync(dir)).toEqual([]);
});

/** What a process leaves that was killed before its first checkpoint with containers. */
const none: Checkpoint = { index: 'P/block', first: 0n, gzip: false, next: 0n, bytes: 0 };

test.each([
  { left: 'no file yet', text: undefined },
  { left: 'an empty file', text: '' },
  { left: 'a file with unsafe content', text: '{"index":"0","id":"2h5w' },
])('an export that was killed with $left starts over, with any options', async ({ text }) => {
  const { url } = await serveIndex({ containers: large });
  for (const [over, lines] of [
    [{}, large],
    [{ first: 4990n, last: 4995n }, large.slice(4990, 4996)],
  ] as const) {
    const file = join(folder(), 'out.ndjson');
    await writeCheckpoint(file, none);
    if (text !== undefined) writeFileSync(file, text);
    expect(await exporting(url, file, over)).toMatchObject({ kind: 'done' });
    expect(textOf(file) === wholeOf(lines)).toBe(true);
    expect(existsSync(`${file}.progress`)).toBe(false);
  }
});

test('exportLines gives the same lines in order, without a file', async () => {
  const { url } = await serveIndex({ containers: large });
  let written = '';
  const exported = await exportLines({ asking: askingAt(url).asking, first: 10n, concurrency: 3 }, async (lines) => {
    written += lines;
  });
  expect(exported).toEqual({ kind: 'done', next: 5000n });
  expect(written === wholeOf(large.slice(10))).toBe(true);
});

/** An export that was interrupted at 1024 of 5,000. */
const begun = async (): Promise<{ readonly file: string; readonly server: IndexServer }> => {
  const file = join(folder(), 'out.ndjson');
  const broken = await serveIndex({ containers: large, odd: brokenFrom(1024) });
  await exporting(broken.url, file);
  return { file, server: await serveIndex({ containers: large }) };
};

test('a file that is not an interrupted export is never touched', async () => {
  const { url } = await serveIndex({ containers: containersOf(3) });
  const file = join(folder(), 'out.ndjson');
  writeFileSync(file, 'mine');
  expect(await exporting(url, file)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('exists') });
  expect(textOf(file)).toBe('mine');
});

test('an interrupted export is not resumed with other options', async () => {
  const { file, server } = await begun();
  for (const over of [
    { first: 1n },
    { last: 4000n },
    { gzip: true },
    { asking: askingAt(server.url, { index: 'X/block' }).asking },
  ])
    expect(await exporting(server.url, file, over)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('P/block, --from 0 and no --to'),
    });
  expect(await exporting(server.url, file)).toMatchObject({ kind: 'done', resumedAt: 1024n });
});

test('an export of another network is not resumed', async () => {
  const { file } = await begun();
  const other = await serveIndex({ containers: containersOf(5000, 501) });
  expect(await exporting(other.url, file)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('another network') });
});

test('a file that is too short and a malformed checkpoint are refused', async () => {
  const { file, server } = await begun();
  truncateSync(file, statSync(file).size - 1);
  expect(await exporting(server.url, file)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('shorter') });
  writeFileSync(`${file}.progress`, '{"index":"P/blo');
  expect(await exporting(server.url, file)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('not the progress of an export'),
  });
});

test('an export of a newer version is refused by name and stays unchanged', async () => {
  const { file, server } = await begun();
  const [lines, newer] = [readFileSync(file), '{"version":2,"later":true}\n'];
  writeFileSync(`${file}.progress`, newer);
  expect(await exporting(server.url, file)).toEqual({
    kind: 'refused',
    reason: `${file}.progress was written by a newer snowgauge (format 2; this one reads up to 1): use that version, or remove it and ${file}, and start again`,
  });
  expect(readFileSync(`${file}.progress`, 'utf8')).toBe(newer);
  expect(readFileSync(file)).toEqual(lines);
});

test('a missing folder is reported before any request', async () => {
  const { url, asked } = await serveIndex({ containers: containersOf(3) });
  const none = join(folder(), 'none');
  expect(await exporting(url, join(none, 'out.ndjson'))).toEqual({
    kind: 'refused',
    reason: `the directory ${none} does not exist: create it, or name another file`,
  });
  expect(asked).toEqual([]);
});
