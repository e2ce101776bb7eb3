// Parses a large configuration in a worker thread, which runs this file too. YAML of thousands of targets takes hundreds of milliseconds, which
// would block the event loop, and a hundred times its size in memory. If the memory is not enough, only the thread ends.

import { getHeapStatistics } from 'node:v8';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Parsed } from '../yaml/parse.ts';
import type { Variables } from '../yaml/variables.ts';
import { parseConfig } from './load.ts';
import type { Config } from './types.ts';

interface Task {
  readonly parse: { readonly text: string; readonly env: Variables; readonly folder: string | undefined };
}

const tooMuch = (): string => {
  const heapMiB = Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024);
  return `reading it takes more memory than the heap of ${heapMiB} MiB: raise the memory limit, or list the targets in files (discovery.file)`;
};

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** If the thread runs out of memory, the result is an error in the configuration. Rejects if the thread cannot be started. */
export const parseBeside = (text: string, env: Variables, folder?: string): Promise<Parsed<Config>> =>
  new Promise((resolve, reject) => {
    const task: Task = { parse: { text, env: { ...env }, folder } };
    const thread = new Worker(new URL(import.meta.url), { workerData: task });
    thread.once('message', resolve).once('error', (error) => {
      if (isOutOfMemory(error)) resolve({ kind: 'invalid', errors: [{ path: '', message: tooMuch() }] });
      else reject(error);
    });
  });

const isTask = (data: unknown): data is Task => typeof data === 'object' && data !== null && 'parse' in data;

if (isTask(workerData)) {
  const { text, env, folder } = workerData.parse;
  parentPort?.postMessage(await parseConfig(text, env, folder));
}
