// An index command at work: the client it asks with, and what it says when there is no answer.

import { createClient } from '../../client/client.ts';
import { type Authorization, type ClientOptions, checkClientOptions } from '../../client/options.ts';
import { describe, type Failure } from '../../client/outcome.ts';
import { type IndexName, isHistorical } from '../../protocol/paths.ts';
import { isRefusal } from '../../protocol/refusals.ts';
import { type Asking, askingOf, doubling } from '../../walk/asking.ts';
import type { CommandContext } from '../context.ts';
import type { AskOptions, FromTo, PaceOptions } from './arguments.ts';
import { type Display, displayOf } from './display.ts';

/** 0 done · 1 the answer is no, or something was found · 2 usage · 3 could not ask, or not write · 130 asked to stop. */
export const exitCodes = { ok: 0, found: 1, usage: 2, unasked: 3, stopped: 130 } as const;

export interface Session {
  readonly asking: Asking;
  readonly display: Display;
}

export interface Work {
  readonly url: string;
  readonly index: IndexName;
  readonly options: AskOptions & Partial<PaceOptions> & Partial<FromTo>;
  /** What is being done, for the lines of progress. */
  readonly verb: string;
}

/** Runs `work` with a client, and ends it; mistakes in the options are exit code 2. */
export const inSession = async (
  context: CommandContext,
  { url, index, options, verb }: Work,
  work: (session: Session) => Promise<number>,
): Promise<void> => {
  const clientOptions = clientOptionsOf(url, options, context.version);
  const mistakes = mistakesIn(clientOptions, options);
  if (mistakes.length > 0) {
    context.stderr(`${mistakes.join('\n')}\n`);
    context.exit(exitCodes.usage);
    return;
  }
  if (isHistorical(index)) context.stderr(historical(index));
  const client = createClient(clientOptions, context.now);
  const ended = new AbortController();
  const display = displayOf(context, `${verb} ${index}`);
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

const clientOptionsOf = (baseUrl: string, options: AskOptions, version: string): ClientOptions => {
  const { header, caFile, certFile, keyFile } = options;
  const authorization = authorizationOf(options);
  return {
    baseUrl,
    timeoutMs: options.timeout,
    maxBodyBytes: options.maxBodySize,
    userAgent: `snowgauge/${version}`,
    ...(header !== undefined && { headers: header }),
    tls: {
      ...(caFile !== undefined && { caFile }),
      ...(certFile !== undefined && { certFile }),
      ...(keyFile !== undefined && { keyFile }),
    },
    ...(authorization !== undefined && { authorization }),
  };
};

const authorizationOf = ({ bearerFile, basicFile }: AskOptions): Authorization | undefined => {
  if (bearerFile !== undefined) return { type: 'Bearer', credentialsFile: bearerFile };
  return basicFile === undefined ? undefined : { type: 'Basic', credentialsFile: basicFile };
};

/** The client's words, with the names that its options have on the command line. */
const mistakesIn = (clientOptions: ClientOptions, { from, to, bearerFile }: Work['options']): readonly string[] => {
  const names: Readonly<Record<string, string>> = {
    baseUrl: 'URL',
    'authorization.credentialsFile': bearerFile === undefined ? '--basic-file' : '--bearer-file',
    tls: '--ca-file, --cert-file, --key-file',
    'tls.caFile': '--ca-file',
    'tls.certFile': '--cert-file',
    'tls.keyFile': '--key-file',
    'headers.': '--header',
  };
  const mistakes = checkClientOptions(clientOptions).map(
    ({ path, message }) => `${names[path] ?? path.replace(/^headers\./, '--header ')}: ${onCommandLine(message)}`,
  );
  if (from !== undefined && to !== undefined && to < from) mistakes.push(`--to: ${to} is before --from, ${from}`);
  return mistakes;
};

const onCommandLine = (message: string): string =>
  message
    .replace('name a file in authorization.credentialsFile', 'name a file with --basic-file or --bearer-file')
    .replace('`authorization` sets it too', '--basic-file or --bearer-file sets it too')
    .replace('certFile and keyFile', '--cert-file and --key-file');

/** What the interface says of X/vtx, and a real node shows of X/tx. */
const historical = (index: IndexName): string =>
  index === 'X/vtx'
    ? 'X/vtx is no longer populated since the Cortina activation: for node version 1.10.0 or higher, use X/block\n'
    : `${index}: a real node has not populated it since the Cortina activation: X/block has what is accepted now\n`;

/** Says why there is no answer, and gives the exit code of it. */
export const sayFailure = (context: CommandContext, index: IndexName, failure: Failure): number => {
  if (context.signal.aborted) {
    context.stderr('stopped\n');
    return exitCodes.stopped;
  }
  const said = describe(failure).replace('raise `maxBodySize`', 'raise --max-body-size');
  const isOff = failure.kind === 'http-status' && failure.status === 404;
  context.stderr(`${index}: ${said}${isOff ? ': is the node started with --index-enabled, and the chain created?' : ''}\n`);
  return failure.kind === 'rpc-error' && isRefusal(failure) ? exitCodes.found : exitCodes.unasked;
};
