// Repeating, ended by a signal, and doing once.

import { timerMs } from '../pause.ts';

/**
 * Like Go's ticker: work that is under way when its time comes is done once more right after it, however often its time came.
 * What `work` rejects with rejects here. Resolves when the signal is aborted, without waiting for work that hangs.
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

/** Work that is done at most once, however often it is asked for. `done` resolves when it has been. */
export const once = (work: () => Promise<void>): { readonly run: () => Promise<void>; readonly done: Promise<void> } => {
  let running: Promise<void> | undefined;
  let end: (() => void) | undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = (): Promise<void> => {
    running ??= work().then(() => end?.());
    return running;
  };
  return { run, done };
};
