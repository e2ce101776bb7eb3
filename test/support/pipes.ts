// Named pipes in the file system, and what suites need to create them.

import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith } from './tools.ts';

/** Like `describe`; reported as skipped without mkfifo. */
export const describeWithPipes = (title: string, suite: () => void): void => describeWith(['mkfifo'], title, suite);

/** A pipe without readers and writers. */
export const makePipe = async (path: string): Promise<string> => {
  await promisify(execFile)('mkfifo', [path]);
  return path;
};

/**
 * Stalls file access of this process: every thread of the pool waits for a writer of a pipe. Resolves with a function that ends
 * it.
 */
export const stallDisk = async (): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-stalled-'));
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const pipes = await Promise.all(Array.from({ length: threads }, (_, at) => makePipe(join(folder, String(at)))));
  const waiting = pipes.map((pipe) => open(pipe));
  return async () => {
    const ends = pipes.map((pipe) => openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    for (const handle of await Promise.all(waiting)) await handle.close();
    for (const end of ends) closeSync(end);
    await rm(folder, { recursive: true });
  };
};
