// Work that repeats until a signal aborts it.

import { timerMs } from '../pause.ts';

/**
 * Like Go's ticker: work that is still running when it is due runs once more right after it, however often it was due.
 * Rejects with what `work` rejects with. Resolves when the signal is aborted, without waiting for work that hangs.
 */
export const every = (seconds: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    let working = false;
    let isDue = false;
    const run = async (): Promise<void> => {
      isDue = true;
      if (working) return;
      working = true;
      while (isDue && !signal.aborted) {
        isDue = false;
        await work();
      }
      working = false;
    };
    const timer = setInterval(() => run().catch(reject), timerMs(seconds));
    const end = (): void => {
      clearInterval(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
