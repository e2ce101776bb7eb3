// Shared by the benches: a server in a separate process, whose CPU is not counted, and medians.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** One line of the summary of `npm run bench`. */
export interface Measure {
  readonly name: string;
  readonly ratio: number;
  readonly aim: number;
  /** True if the ratio must be at least the target value, false if at most. */
  readonly atLeast: boolean;
  readonly unit?: string;
}

/** Runs JavaScript (ESM) in another process, which must print its port; `stop` ends it. */
export const serveApart = async (script: string, args: readonly string[] = []) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { url: `http://127.0.0.1:${String(line).trim()}`, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
};

/** CPU of this process, user and system, in microseconds. */
export const cpuOf = async (work: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

/** Wall-clock seconds. */
export const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};
