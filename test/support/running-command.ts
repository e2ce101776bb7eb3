// Runs a command inside the test process.

import type { CommandContext } from '../../src/commands/context.ts';
import { runProgram } from '../../src/commands/program.ts';
import { silentLog } from '../../src/log.ts';

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface Running extends Ran {
  readonly finished: Promise<Ran>;
  /** Interrupts it like Ctrl-C. */
  readonly stop: () => void;
}

/** Starts it; the output so far can be read. `onStderr` is called with all of stderr so far. */
export const startCommand = (
  args: readonly string[],
  over: Partial<CommandContext> = {},
  onStderr?: (text: string) => void,
): Running => {
  const written = { stdout: '', stderr: '', code: 0 };
  const stop = new AbortController();
  const finished = runProgram(args, {
    env: {},
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
      onStderr?.(written.stderr);
    },
    exit: (code) => {
      written.code = code;
    },
    signal: stop.signal,
    now: () => Date.now() / 1000,
    version: '0',
    isTerminal: false,
    log: silentLog,
    ...over,
  }).then(() => ({ ...written }));
  return {
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    get code() {
      return written.code;
    },
    finished,
    stop: () => stop.abort(),
  };
};

export const runCommand = (args: readonly string[], over: Partial<CommandContext> = {}): Promise<Ran> =>
  startCommand(args, over).finished;
