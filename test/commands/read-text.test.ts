// Reading the operator's files as text, up to 16 MiB.

import { constants } from 'node:fs';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readGiven, readText } from '../../src/commands/read-text.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';

test.each([
  { size: 16 * 2 ** 20, kind: 'ok' },
  { size: 16 * 2 ** 20 + 1, kind: 'failed' },
])('reading a file of $size bytes is $kind', async ({ size, kind }) => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-text-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'a.yaml');
  await writeFile(file, '');
  await truncate(file, size);
  expect((await readText(file)).kind).toBe(kind);
});

test.each([
  { encoding: 'Latin-1', text: Buffer.from('a: b\r\nlabels: { site: Z\xfcrich }\n', 'latin1'), line: 2 },
  { encoding: 'UTF-16', text: Buffer.from('\ufefftargets: []', 'utf16le'), line: 1 },
])('a file in $encoding is an error that names its line', async ({ text, line }) => {
  const file = join(await temporaryFolder(), 'a.yaml');
  await writeFile(file, text);
  expect(await readText(file)).toEqual({
    kind: 'failed',
    reason: `line ${line} is not UTF-8: save the file as UTF-8`,
  });
});

describeWithPipes('reading a pipe', () => {
  const piped = async () => {
    const pipe = await makePipe(join(await temporaryFolder(), 'pipe'));
    return { pipe, writer: await open(pipe, constants.O_RDWR | constants.O_NONBLOCK) };
  };

  test('reads to its end across several writes, without blocking a thread', async () => {
    const { pipe, writer } = await piped();
    // A second reader keeps the pipe open, as bash does, so data outlives the writer.
    const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const read = readGiven(pipe, new AbortController().signal);
    await writer.write('targets: ');
    await writer.write('[]');
    await writer.close();
    expect(await read).toEqual({ kind: 'ok', text: 'targets: []', isPiped: true });
    await reader.close();
  });

  test('waits for the writer until the signal aborts', async () => {
    const { pipe, writer } = await piped();
    const stop = new AbortController();
    const read = readGiven(pipe, stop.signal);
    stop.abort();
    expect(await read).toMatchObject({ kind: 'failed', reason: expect.stringContaining('stopped'), isPiped: true });
    await writer.close();
  });

  test('fails for a file that is to be watched', async () => {
    const { pipe, writer } = await piped();
    await writer.write('targets: []');
    expect(await readText(pipe)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not a regular file') });
    await writer.close();
  });
});
