// Compares passwords with bcrypt hashes, each in a thread of its own: createInTurns starts only one at a time.

import { Worker } from 'node:worker_threads';
import { text } from './bcrypt-worker.ts?worker';

export type Verify = (password: string, hash: string) => Promise<boolean>;

/** An exception in the thread is a bug, and ends the process. */
export const verifyInThread: Verify = (password, hash) =>
  new Promise((resolve) => {
    new Worker(text, { eval: true, workerData: { password, hash } }).once('message', resolve);
  });
