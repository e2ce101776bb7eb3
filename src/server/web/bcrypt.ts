// Compares passwords with bcrypt hashes in a thread. The thread is stopped when there is nothing left to compare.

import { Worker } from 'node:worker_threads';
import { text } from './bcrypt-worker.ts?worker';

export type Verify = (password: string, hash: string) => Promise<boolean>;

interface Answer {
  readonly id: number;
  readonly matches: boolean;
}

/** Compares one password at a time. An exception in the thread is a bug, and ends the process. */
export const createVerify = (): Verify => {
  const waiting = new Map<number, (matches: boolean) => void>();
  let worker: Worker | undefined;
  let count = 0;
  const start = (): Worker => {
    const thread = new Worker(text, { eval: true });
    thread.on('message', ({ id, matches }: Answer) => {
      waiting.get(id)?.(matches);
      waiting.delete(id);
      if (waiting.size > 0) return;
      worker = undefined;
      void thread.terminate();
    });
    return thread;
  };
  return (password, hash) =>
    new Promise((resolve) => {
      count += 1;
      waiting.set(count, resolve);
      worker ??= start();
      worker.postMessage({ id: count, password, hash });
    });
};
