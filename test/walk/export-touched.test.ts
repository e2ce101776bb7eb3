// Another process touches the file of an export: an export never reports success for missing content.

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Exported, exportIndex } from '../../src/walk/export.ts';
import { lineOf } from '../../src/walk/line.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const containers = containersOf(3000);

const newFile = (name = 'out.ndjson'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-export-touched-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
};

const exporting = async (file: string, odd?: Odd): Promise<Exported> => {
  const { url } = await serveIndex({ containers, ...(odd !== undefined && { odd }) });
  return exportIndex({ asking: askingAt(url).asking, first: 0n, concurrency: 1, file, gzip: file.endsWith('.gz') });
};

/** When the containers from 2048 on are requested: all before them may be written, and none is safe. */
const meanwhile =
  (touch: () => void): Odd =>
  ({ params }) => {
    if (params.startIndex === '2048') touch();
    return undefined;
  };

const brokenOff: Odd = ({ params }) => (params.startIndex === '2048' ? { status: 400 } : undefined);

test.each([
  { touched: 'removed', touch: (file: string) => rmSync(file) },
  { touched: 'replaced', touch: (file: string) => [rmSync(file), writeFileSync(file, 'of somebody else')] },
  { touched: 'appended to', touch: (file: string) => appendFileSync(file, 'x'.repeat(10_000_000)) },
])('an export whose file is $touched meanwhile does not report success', async ({ touch }) => {
  const file = newFile();
  expect(
    await exporting(
      file,
      meanwhile(() => touch(file)),
    ),
  ).toEqual({
    kind: 'unwritable',
    reason: 'another process has changed, moved or removed it meanwhile: remove it and its .progress, and start again',
  });
});

test.each(['out.ndjson', 'out.ndjson.gz'])(
  '%s that was changed after an interruption is not resumed and stays unchanged',
  async (name) => {
    const file = newFile(name);
    expect(await exporting(file, brokenOff)).toMatchObject({ kind: 'interrupted', next: 2048n });
    const written = readFileSync(file);
    for (const other of [Buffer.concat([Buffer.from('#'), written]), Buffer.alloc(2 * written.length, 'x')]) {
      writeFileSync(file, other);
      expect(await exporting(file)).toEqual({
        kind: 'refused',
        reason: `${file} was changed after the export was interrupted: remove it and ${file}.progress, and start again`,
      });
      expect(readFileSync(file).equals(other)).toBe(true);
    }
    writeFileSync(file, written);
    expect(await exporting(file)).toEqual({ kind: 'done', resumedAt: 2048n, next: 3000n });
  },
);

test('progress without a tail, as an earlier version wrote it, is resumed', async () => {
  const file = newFile();
  await exporting(file, brokenOff);
  const { tail, ...earlier } = JSON.parse(readFileSync(`${file}.progress`, 'utf8'));
  expect(tail).toMatch(/^[0-9a-f]{64}$/);
  writeFileSync(`${file}.progress`, JSON.stringify(earlier));
  expect(await exporting(file)).toEqual({ kind: 'done', resumedAt: 2048n, next: 3000n });
  expect(readFileSync(file, 'utf8')).toBe(containers.map(lineOf).join(''));
});

test.each(['a device', 'a folder', 'a link to a device'])(
  '%s is refused and left alone, and the message does not say to remove it',
  async (what) => {
    const file = what === 'a device' ? '/dev/null' : newFile();
    if (what === 'a folder') mkdirSync(file);
    if (what === 'a link to a device') symlinkSync('/dev/null', file);
    const beside = (): readonly string[] => readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
    const before = beside();
    expect(await exporting(file)).toEqual({
      kind: 'refused',
      reason: `${file} exists and is not a regular file: name another file, or - for stdout`,
    });
    expect(beside()).toEqual(before);
  },
);

test('an export whose file is truncated meanwhile does not report success', async () => {
  const file = newFile();
  await exporting(file, brokenOff);
  expect(
    await exporting(
      file,
      meanwhile(() => truncateSync(file)),
    ),
  ).toMatchObject({ kind: 'unwritable' });
});
