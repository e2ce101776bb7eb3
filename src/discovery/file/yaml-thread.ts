// A thread for each large file of YAML: to read one takes seconds, and cannot be interrupted.

import { Worker } from 'node:worker_threads';
import { codeOf } from '../../text.ts';
import { type JsonResult, tooLarge } from './yaml-to-json.ts';
import { text as program } from './yaml-worker.ts?worker';

/** Of the thread, where the command line has no --max-old-space-size, which counts for threads, too. */
const defaultHeapMiB = 64;

/** The largest file takes a second or two: others wait for their turn. */
const defaultSeconds = 60;

/** What ends the thread is the failure of the file. */
export const jsonInThread = (
  text: string,
  signal: AbortSignal,
  { heapMiB = defaultHeapMiB, seconds = defaultSeconds }: { readonly heapMiB?: number; readonly seconds?: number } = {},
): Promise<JsonResult> =>
  new Promise((resolve) => {
    const resourceLimits = { maxOldGenerationSizeMb: heapMiB };
    const thread = new Worker(program, { eval: true, workerData: text, resourceLimits });
    const stop = (): void => void thread.terminate();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let made: JsonResult = { kind: 'invalid', reason: 'was not read: its thread has ended' };
    const timer = setTimeout(() => {
      made = { kind: 'invalid', reason: `was not read within ${seconds} s: write it as JSON` };
      stop();
    }, seconds * 1000);
    thread.once('message', (message: JsonResult) => {
      made = message;
      stop();
    });
    thread.once('error', (error) => {
      const code = codeOf(error);
      made =
        code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge('out of memory') : { kind: 'invalid', reason: `cannot be read: ${code}` };
    });
    // Not before its memory is given back: the next file has a thread of its own.
    thread.once('exit', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(made);
    });
  });
