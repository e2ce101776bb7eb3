// Runs the bundle under strace: killing a process cannot show whether a file was synced.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { bundle } from './bundle.ts';
import { forced, toolPath } from './tools.ts';

const strace = toolPath('strace');
const isRefused = strace !== undefined && spawnSync(strace, ['-D', '-f', '-o', '/dev/null', 'true']).status !== 0;

/** Why tracing is not possible here, or undefined. */
export const untraceable = strace === undefined ? 'not installed: strace' : isRefused ? `the ${forced} to trace` : undefined;

/** `calls` are such as `fdatasync`; `file` stores them. Stops after the test. */
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
    /** The log so far. */
    said: (): string => said,
    /** One traced call per line. */
    calls: (): readonly string[] => readFileSync(file, 'utf8').split('\n'),
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};
