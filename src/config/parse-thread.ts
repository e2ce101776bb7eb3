// Parses a large configuration in a thread of its own, which runs this same file: to compose YAML of thousands of targets takes
// hundreds of milliseconds, and cannot be interrupted.

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Parsed } from '../yaml/parse.ts';
import type { Variables } from '../yaml/variables.ts';
import { parseConfig } from './load.ts';
import type { Config } from './types.ts';

interface Task {
  readonly parse: { readonly text: string; readonly env: Variables };
}

/** Rejects where the thread cannot be had. */
export const parseBeside = (text: string, env: Variables): Promise<Parsed<Config>> =>
  new Promise((resolve, reject) => {
    const task: Task = { parse: { text, env: { ...env } } };
    const thread = new Worker(new URL(import.meta.url), { workerData: task });
    thread.once('message', resolve).once('error', reject);
  });

const isTask = (data: unknown): data is Task => typeof data === 'object' && data !== null && 'parse' in data;

if (isTask(workerData)) parentPort?.postMessage(await parseConfig(workerData.parse.text, workerData.parse.env));
