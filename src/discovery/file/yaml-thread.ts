// Starts a thread for each large YAML file: parsing one takes seconds and cannot be interrupted.

import { Worker } from 'node:worker_threads';
import { codeOf } from '../../text.ts';
import { type JsonResult, tooLarge } from './yaml-to-json.ts';
import { text as program } from './yaml-worker.ts?worker';

/** Heap limit of the thread in MiB. --max-old-space-size on the command line overrides it. */
const defaultHeapMiB = 64;

/** Time limit of the thread in seconds. The largest file takes one or two, and files are parsed one at a time. */
const defaultSeconds = 60;

/** Converts a YAML text to JSON in a thread. If the thread ends without a result, the result is `invalid`. */
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
    let result: JsonResult = { kind: 'invalid', reason: 'was not read: its thread has ended' };
    const timer = setTimeout(() => {
      result = { kind: 'invalid', reason: `was not read within ${seconds} s: write it as JSON` };
      stop();
    }, seconds * 1000);
    thread.once('message', (message: JsonResult) => {
      result = message;
      stop();
    });
    thread.once('error', (error) => {
      const code = codeOf(error);
      result =
        code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge('out of memory') : { kind: 'invalid', reason: `cannot be read: ${code}` };
    });
    // Resolve only when the thread's memory is released, because the next file starts another thread.
    thread.once('exit', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(result);
    });
  });
