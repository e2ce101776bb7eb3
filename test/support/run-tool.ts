// Runs a program until it exits. An error contains its output.

import { execFile } from 'node:child_process';

export interface ToolOptions {
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

/** Resolves with stdout; rejects with all output on a non-zero exit code. */
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
    // A program may exit without reading stdin.
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
