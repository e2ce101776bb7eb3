// Runs a command and returns its output and exit code.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { type Ran, startCommand } from './running-command.ts';

export interface Typing extends Partial<CommandContext> {
  /** Called with all of stderr so far. */
  readonly onStderr?: (text: string) => void;
}

/** Runs `snowgauge` with `argv` at a fixed time; `given` overrides parts of the process context. */
export const typed = (argv: readonly string[], { onStderr, ...given }: Typing = {}): Promise<Ran> =>
  startCommand(argv, { now: () => 1_800_000_000, ...given }, onStderr).finished;

/** Writes the string, or the value as JSON, to a file that is removed after the test. */
export const fileOf = async (content: unknown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'report.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

/** Arguments for the snowgauge at this URL, with a timeout that a busy machine does not reach. */
export const at = (url: string): readonly string[] => ['--url', url, '--timeout', '5m'];
