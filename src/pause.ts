// Waiting, for what does something again and again.

import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when so many seconds have passed, or the signal is aborted. */
export const pause = async (seconds: number, signal: AbortSignal): Promise<void> => {
  await Promise.allSettled([sleep(Math.max(0, seconds) * 1000, undefined, { signal })]);
};
