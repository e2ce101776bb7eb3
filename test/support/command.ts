// A command as it is typed, with what it writes and its exit code.

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

/** As `snowgauge` followed by `argv`, at an instant that stands; `given` is put in the place of what a process would have. */
export const typed = (argv: readonly string[], { onStderr, ...given }: Typing = {}): Promise<Ran> =>
  startCommand(argv, { now: () => 1_800_000_000, ...given }, onStderr).finished;

/** A file with the text, or the value as JSON, for as long as the test runs. */
export const fileOf = async (content: unknown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'report.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

/** The arguments for a snowgauge at this URL, with a timeout that a busy machine does not reach. */
export const at = (url: string): readonly string[] => ['--url', url, '--timeout', '5m'];
