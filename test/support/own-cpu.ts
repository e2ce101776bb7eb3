// CPU time of this thread alone, without other threads and processes. Linux only.

import { readFileSync } from 'node:fs';

/** Seconds. */
export const ownCpu = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;

export const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = ownCpu();
  await work();
  return ownCpu() - before;
};
