// The exit codes of all commands, and the output for two of them.

import type { Status } from '../conditions/condition.ts';
import { type CommandContext, readerGone } from './context.ts';

/**
 * ok: done, or yes · no: no, or problems were found · usage: invalid arguments or configuration · unknown: no response, or a failed
 * write · stopped: interrupted.
 */
export const exitCodes = { ok: 0, no: 1, usage: 2, unknown: 3, stopped: 130 } as const;

export const exitOf = { True: exitCodes.ok, False: exitCodes.no, Unknown: exitCodes.unknown } as const satisfies Record<
  Status,
  number
>;

/** Exit code of a command that ended with the signal. It is ok if the reader of stdout has closed it: that reader has all it wants. */
export const sayStopped = ({ signal, stderr }: Pick<CommandContext, 'signal' | 'stderr'>): number => {
  if (signal.reason === readerGone) return exitCodes.ok;
  stderr('stopped\n');
  return exitCodes.stopped;
};

/** After a signal to stop, a command prints no result. */
export const ifStopped = (context: Pick<CommandContext, 'signal' | 'stderr' | 'exit'>): boolean => {
  if (context.signal.aborted) context.exit(sayStopped(context));
  return context.signal.aborted;
};
