// Runs an index command: creates its client, and prints failures.

import { describe, type Failure } from '../../client/outcome.ts';
import { doublingWait } from '../../pause.ts';
import { type IndexName, isHistorical } from '../../protocol/paths.ts';
import { isAbsence } from '../../protocol/refusals.ts';
import { type Asking, askingOf } from '../../walk/asking.ts';
import type { ConfigError } from '../../yaml/parse.ts';
import { refuse } from '../arguments.ts';
import { readClient, withClient } from '../client-flags.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes, sayStopped } from '../exit-codes.ts';
import type { RetryFlags, WalkFlags } from './arguments.ts';
import { type Display, displayOf } from './display.ts';

export interface Work {
  /** Name of the command, such as `walk`. */
  readonly command: string;
  readonly url: string;
  readonly index: IndexName;
  readonly options: RetryFlags & Partial<WalkFlags>;
  /** Errors in options that only this command has. */
  readonly errors?: readonly ConfigError[];
}

/** Runs `work` with a client, and closes it. Errors in the options end with exit code 2. */
export const inSession = async (
  context: CommandContext,
  { command, url, index, options, errors: own = [] }: Work,
  work: (session: { readonly asking: Asking; readonly display: Display }) => Promise<number>,
): Promise<void> => {
  const { from = 0n, to = from, tries, rate, concurrency } = options;
  const errors: ConfigError[] = [...own];
  if (to < from) errors.push({ path: '--to', message: `${to} is before --from, ${from}` });
  const client = readClient(url, options, context.version, errors);
  if (errors.length > 0) return refuse(context, `snowgauge index ${command}`, errors);
  if (isHistorical(index)) context.stderr(historical(index));
  const display = displayOf(context, index);
  // Requests that are in flight at the end are no longer needed, and must not be retried.
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const onRetry = (failure: Failure, seconds: number): void =>
    display.note(`${index}: ${describe(failure)}: retrying in ${seconds} s`);
  const backoff = (failures: number): number => doublingWait(failures, { first: 0.25, max: 30 });
  await withClient({ ...client, maxConnections: concurrency }, { ...context, signal: ended.signal }, async (asked) => {
    const asking = askingOf({ client: asked, index, signal, tries, backoff, rate, onRetry });
    try {
      context.exit(await work({ asking, display }));
    } finally {
      ended.abort();
    }
  });
};

/** Documented by the interface for X/vtx, and observed on a real node for X/tx. */
const historical = (index: IndexName): string =>
  index === 'X/vtx'
    ? 'X/vtx is no longer populated since the Cortina activation: for node version 1.10.0 or higher, use X/block\n'
    : `${index}: not populated by a real node since the Cortina activation: use X/block\n`;

/** Prints the failure, and returns its exit code. */
export const sayFailure = (context: CommandContext, index: IndexName, failure: Failure): number => {
  if (context.signal.aborted) return sayStopped(context);
  context.stderr(`${index}: ${describe(failure)}\n`);
  return failure.kind === 'rpc-error' && isAbsence(failure) ? exitCodes.no : exitCodes.unknown;
};

/** A walk that did not finish cannot mean no. */
export const sayBrokenOff = (context: CommandContext, index: IndexName, failure: Failure): number => {
  const code = sayFailure(context, index, failure);
  return code === exitCodes.no ? exitCodes.unknown : code;
};
