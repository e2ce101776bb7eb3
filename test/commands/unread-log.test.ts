// stderr is a full pipe that nobody reads, as with a stalled log collector: only the log may wait.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { temporaryFolder } from '../support/events.ts';
import { freePort } from '../support/free-port.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';
import { patience } from '../support/run-process.ts';

const fill = (fd: number): void => {
  // A write of up to 4 KiB to a pipe is atomic, so also fill the last bytes.
  for (const size of [4096, 1])
    try {
      for (;;) writeSync(fd, Buffer.alloc(size, '\n'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
};

/** Starts `run` with a full pipe as its stderr. `read` drains the pipe and returns everything read so far. */
const startUnread = async () => {
  const pipe = await makePipe(join(await temporaryFolder(), 'log'));
  const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const filling = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  // A blocking descriptor, as a shell passes it.
  const writing = openSync(pipe, constants.O_WRONLY);
  fill(filling);
  const port = await freePort();
  const child = spawn(process.execPath, [bundle, 'run', '--listen', `127.0.0.1:${port}`], {
    env: { PATH: process.env.PATH, SNOWGAUGE_URL: 'http://127.0.0.1:9' },
    stdio: ['ignore', 'ignore', writing],
  });
  const exited = once(child, 'exit');
  closeSync(filling);
  closeSync(writing);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    closeSync(reading);
  });
  let text = '';
  const chunk = Buffer.alloc(65_536);
  // Not through a socket of this descriptor: Node.js would close it again at the end of the test's worker, when it may belong to
  // another file.
  const read = (): string => {
    try {
      for (let size = readSync(reading, chunk); size > 0; size = readSync(reading, chunk))
        text += chunk.toString('utf8', 0, size);
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return text;
  };
  const isAlive = async (): Promise<boolean> =>
    await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(20_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isAlive, patience).toBe(true);
  return { stop: () => child.kill('SIGTERM'), exited, read };
};

describeWithPipes('run with a full, unread pipe as stderr', () => {
  test('answers probes and exits with 0 on SIGTERM', async () => {
    const { stop, exited } = await startUnread();
    stop();
    expect(await exited).toEqual([0, null]);
  });

  test('writes every log line up to the last once the pipe is read', async () => {
    const { stop, exited, read } = await startUnread();
    await expect.poll(read, patience).toContain('"msg":"serving"');
    stop();
    expect(await exited).toEqual([0, null]);
    await expect.poll(read, patience).toContain('"msg":"server closed"');
  });
});
