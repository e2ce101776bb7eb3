// What a person sees: colour where there is a terminal that wants it, and the exit codes that go with the words.

import type { Reading } from '../report/reading.ts';
import type { CommandContext } from './context.ts';

export const exitCodes = { healthy: 0, unhealthy: 1, usage: 2, unknown: 3, stopped: 130 } as const;

export interface Paint {
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly good: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const colour =
  (on: boolean, code: number) =>
  (text: string): string =>
    on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

/** NO_COLOR counts where it is not empty (no-color.org). */
export const paintFor = ({ env, isTerminal }: Pick<CommandContext, 'env' | 'isTerminal'>): Paint => {
  const on = isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return { bad: colour(on, 31), warn: colour(on, 33), good: colour(on, 32), strong: colour(on, 1), faint: colour(on, 2) };
};

const marks = { healthy: 'good', unhealthy: 'bad', unknown: 'warn' } as const;

/** `unhealthy: …`, in one line. */
export const verdictLine = ({ verdict, because }: Pick<Reading, 'verdict' | 'because'>, paint: Paint): string =>
  `${paint[marks[verdict]](verdict)}: ${because}\n`;

/** Whoever asked the process to stop wants no verdict. */
export const ifStopped = ({ signal, stderr, exit }: Pick<CommandContext, 'signal' | 'stderr' | 'exit'>): boolean => {
  if (!signal.aborted) return false;
  stderr('stopped\n');
  exit(exitCodes.stopped);
  return true;
};
