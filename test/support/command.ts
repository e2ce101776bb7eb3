// A command as it is typed, with what it writes and its exit code.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { runProgram } from '../../src/commands/program.ts';
import { silentLog } from '../../src/log.ts';

export interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface Typing extends Partial<CommandContext> {
  /** Called with all of stderr so far. */
  readonly onStderr?: (text: string) => void;
}

/** As `snowgauge` followed by `argv`; `given` is put in the place of what a process would have. */
export const typed = async (argv: readonly string[], { onStderr, ...given }: Typing = {}): Promise<Written> => {
  const written = { stdout: '', stderr: '', code: 0 };
  await runProgram(argv, {
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
    signal: new AbortController().signal,
    now: () => 1_800_000_000,
    version: '0',
    isTerminal: false,
    log: silentLog,
    ...given,
  });
  return written;
};

/** A file with the text, or the value as JSON, for as long as the test runs. */
export const fileOf = async (content: unknown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'report.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
