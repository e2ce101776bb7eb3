// Waiting, for a command that does something again and again.

import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '../protocol/duration.ts';

/** Resolves when so many seconds have passed, or the process is asked to stop. */
export const pause = async (seconds: number, signal: AbortSignal): Promise<void> => {
  await Promise.allSettled([sleep(timerMs(seconds), undefined, { signal })]);
};
