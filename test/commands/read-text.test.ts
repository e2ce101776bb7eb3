// Files of the operator's: as text, up to a bound.

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
])('a file of $size bytes is $kind', async ({ size, kind }) => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-text-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'a.yaml');
  await writeFile(file, '');
  await truncate(file, size);
  expect((await readText(file)).kind).toBe(kind);
});

describeWithPipes('what is piped in', () => {
  const piped = async () => {
    const pipe = await makePipe(join(await temporaryFolder(), 'pipe'));
    return { pipe, writer: await open(pipe, constants.O_RDWR | constants.O_NONBLOCK) };
  };

  test('is read to its end, however slowly it comes, and no thread waits for it', async () => {
    const { pipe, writer } = await piped();
    // As bash does, whose reader stays open: what was written is not lost with its writer.
    const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const read = readGiven(pipe, new AbortController().signal);
    await writer.write('targets: ');
    await writer.write('[]');
    await writer.close();
    expect(await read).toEqual({ kind: 'ok', text: 'targets: []', isPiped: true });
    await reader.close();
  });

  test('is waited for until the process is stopped', async () => {
    const { pipe, writer } = await piped();
    const stop = new AbortController();
    const read = readGiven(pipe, stop.signal);
    stop.abort();
    expect(await read).toMatchObject({ kind: 'failed', reason: expect.stringContaining('stopped'), isPiped: true });
    await writer.close();
  });

  test('is no file that is read again and again', async () => {
    const { pipe, writer } = await piped();
    await writer.write('targets: []');
    expect(await readText(pipe)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not a regular file') });
    await writer.close();
  });
});
