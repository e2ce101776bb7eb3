// The bundle as a process whose calls of the system are watched: that something is synced to disk no kill can tell.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { bundle } from './bundle.ts';
import { forced, toolPath } from './tools.ts';

const strace = toolPath('strace');
const isRefused = strace !== undefined && spawnSync(strace, ['-D', '-f', '-o', '/dev/null', 'true']).status !== 0;

/** Why this machine lets nobody watch, or undefined where it does. */
export const untraceable = strace === undefined ? 'not installed: strace' : isRefused ? `the ${forced} to trace` : undefined;

/** `calls`: as `fdatasync`. `file`: to keep them in. Ends with the test. */
export const startTraced = (args: readonly string[], calls: string, file: string) => {
  const tracing = ['-D', '-f', '-qq', '-e', `trace=${calls}`, '-o', file, process.execPath, bundle, ...args];
  const child = spawn(strace ?? '', tracing, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return {
    /** Its log so far. */
    said: (): string => said,
    /** A line each. */
    calls: (): readonly string[] => readFileSync(file, 'utf8').split('\n'),
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};
