// Runs a program that tests need to its end. What it said is in the error where it fails.

import { execFile } from 'node:child_process';

export interface ToolOptions {
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

/** What it wrote to stdout; rejects with all it said where its exit code is not 0. */
export const runTool = (file: string, args: readonly string[], options: ToolOptions = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { timeoutMs = 280_000, env = process.env, cwd, input } = options;
    const settings = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 1 << 26, env, ...(cwd && { cwd }) } as const;
    const child = execFile(file, args, settings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Error(`${[file, ...args].join(' ')}\n${error.killed ? `not done in ${timeoutMs} ms\n` : ''}${stdout}${stderr}`),
        );
    });
    // A program that ends without reading is no fault.
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
