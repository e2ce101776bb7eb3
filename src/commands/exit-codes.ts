// How every command ends: the exit codes, and the words that go with two of them.

import type { Status } from '../conditions/condition.ts';
import { type CommandContext, readerGone } from './context.ts';

/**
 * ok: done, or yes · no: or something was found · usage: an error in what was given · unknown: no answer, or not written ·
 * stopped: asked to.
 */
export const exitCodes = { ok: 0, no: 1, usage: 2, unknown: 3, stopped: 130 } as const;

export const exitOf = { True: exitCodes.ok, False: exitCodes.no, Unknown: exitCodes.unknown } as const satisfies Record<
  Status,
  number
>;

/** Of a command that ended with the signal. Where the reader of stdout has had enough, all was done that was wanted. */
export const sayStopped = ({ signal, stderr }: Pick<CommandContext, 'signal' | 'stderr'>): number => {
  if (signal.reason === readerGone) return exitCodes.ok;
  stderr('stopped\n');
  return exitCodes.stopped;
};

/** Whoever asked the process to stop wants no answer. */
export const ifStopped = (context: Pick<CommandContext, 'signal' | 'stderr' | 'exit'>): boolean => {
  if (context.signal.aborted) context.exit(sayStopped(context));
  return context.signal.aborted;
};
