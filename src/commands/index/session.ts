// An index command at work: the client it asks with, and what it says when there is no answer.

import { createClient } from '../../client/client.ts';
import { type ClientOptions, checkClientOptions } from '../../client/options.ts';
import { describe, type Failure } from '../../client/outcome.ts';
import { type IndexName, isHistorical } from '../../protocol/paths.ts';
import { isAbsence } from '../../protocol/refusals.ts';
import { type Asking, askingOf, doubling } from '../../walk/asking.ts';
import { type ConfigError, formatErrors } from '../../yaml/parse.ts';
import { filesOf, inFlags, readHeaders } from '../client-flags.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes, refuse, sayStopped } from '../exit-codes.ts';
import type { AskOptions, FromTo, PaceOptions } from './arguments.ts';
import { type Display, displayOf } from './display.ts';

export interface Session {
  readonly asking: Asking;
  readonly display: Display;
}

export interface Work {
  readonly url: string;
  readonly index: IndexName;
  readonly options: AskOptions & Partial<PaceOptions> & Partial<FromTo>;
  /** The command's name: `walk`. */
  readonly command: string;
}

/** Runs `work` with a client, and ends it; errors in the options are exit code 2. */
export const inSession = async (
  context: CommandContext,
  { url, index, options, command }: Work,
  work: (session: Session) => Promise<number>,
): Promise<void> => {
  const headers = readHeaders(options.header);
  const clientOptions = clientOptionsOf(url, options, context.version, headers.kind === 'ok' ? headers.value : undefined);
  const errors = [...(headers.kind === 'invalid' ? headers.errors : []), ...errorsIn(clientOptions, options)];
  if (errors.length > 0) return refuse(context, formatErrors(`snowgauge index ${command}`, errors));
  if (isHistorical(index)) context.stderr(historical(index));
  const client = createClient(clientOptions, context.now);
  const ended = new AbortController();
  const display = displayOf(context, index);
  const asking = askingOf({
    client,
    index,
    signal: AbortSignal.any([context.signal, ended.signal]),
    tries: options.tries,
    backoff: doubling,
    ...(options.rate !== undefined && { rate: options.rate }),
    onRetry: (failure, seconds) => display.note(`${index}: ${describe(failure)}: asking again in ${seconds} s`),
  });
  try {
    context.exit(await work({ asking, display }));
  } finally {
    // What is still in flight is of no use any more, and must not be asked again.
    ended.abort();
    client.close();
  }
};

const clientOptionsOf = (
  baseUrl: string,
  options: AskOptions & Partial<PaceOptions>,
  version: string,
  headers: ClientOptions['headers'],
): ClientOptions => ({
  baseUrl,
  timeoutMs: options.timeout,
  maxBodyBytes: options.maxBodySize,
  userAgent: `snowgauge/${version}`,
  ...filesOf(options),
  ...(options.concurrency !== undefined && { maxConnections: options.concurrency }),
  ...(headers !== undefined && { headers }),
});

const errorsIn = (clientOptions: ClientOptions, options: Work['options']): readonly ConfigError[] => {
  const { from, to } = options;
  const isBackwards = from !== undefined && to !== undefined && to < from;
  return [
    ...checkClientOptions(clientOptions).map(inFlags(options)),
    ...(isBackwards ? [{ path: '--to', message: `${to} is before --from, ${from}` }] : []),
  ];
};

/** What the interface says of X/vtx, and a real node shows of X/tx. */
const historical = (index: IndexName): string =>
  index === 'X/vtx'
    ? 'X/vtx is no longer populated since the Cortina activation: for node version 1.10.0 or higher, use X/block\n'
    : `${index}: a real node has not populated it since the Cortina activation: X/block has what is accepted now\n`;

/** Says why there is no answer, and gives the exit code of it. */
export const sayFailure = (context: CommandContext, index: IndexName, failure: Failure): number => {
  if (context.signal.aborted) return sayStopped(context);
  context.stderr(`${index}: ${describe(failure)}\n`);
  return failure.kind === 'rpc-error' && isAbsence(failure) ? exitCodes.no : exitCodes.unknown;
};
