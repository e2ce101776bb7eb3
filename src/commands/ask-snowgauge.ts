// Sends one request to the API of a running snowgauge, with the options of a command line, and checks the response against a schema.

import * as z from 'zod/mini';
import { askerOf } from '../client/ask.ts';
import type { ClientOptions } from '../client/options.ts';
import { describe, type Failure, faultText } from '../client/outcome.ts';
import type { Head, Question } from '../client/transport.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { parsedJson, printable } from '../text.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

/** `isRefused`: the request is at fault, not the connection. */
interface Unanswered {
  readonly kind: 'failed';
  readonly reason: string;
  readonly isRefused: boolean;
}

export type SnowgaugeAnswer<T> = { readonly kind: 'ok'; readonly value: T; readonly body: unknown } | Unanswered;

export interface SnowgaugeRequest<S extends z.core.$ZodType> {
  /** Default: GET. */
  readonly method?: Question['method'];
  /** Includes the query. */
  readonly path: string;
  readonly body?: object | undefined;
  readonly shape: S;
}

/** Statuses with which snowgauge reports an error of the request. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 415]);

/** Statuses for which snowgauge may respond with a line of text, on any path. */
const inWords: ReadonlySet<number> = new Set([401, 403, 429, 503]);

/** Reads the files of secrets for each request. */
export const askSnowgauge = async <S extends z.core.$ZodType>(
  options: ClientOptions,
  { method, path, body, shape }: SnowgaugeRequest<S>,
  signal: AbortSignal,
): Promise<SnowgaugeAnswer<z.output<S>>> => {
  const asker = askerOf(options);
  const question = method === undefined ? { path } : { path, method, body: body === undefined ? '' : JSON.stringify(body) };
  const { head, end } = await asker.ask(question, () => true, { signal });
  asker.endWith({ kind: 'network', reason: 'the client is closed' });
  if (!Buffer.isBuffer(end)) return { kind: 'failed', reason: wordsOf(end), isRefused: false };
  const { status = 0, location, contentType = '' } = head ?? {};
  const text = end.toString();
  const answered = parsedJson(text);
  const read = z.safeParse(shape, answered);
  if (status === 200 && read.success) return { kind: 'ok', value: read.data, body: answered };
  const refusal = z.safeParse(z.object({ error: z.string() }), answered);
  const line = inWords.has(status) && /^text\/plain\b/i.test(contentType) ? lineOf(text) : '';
  const reason = refusal.success ? refusal.data.error : unlike(status, location, line, options.authorization !== undefined);
  return { kind: 'failed', reason, isRefused: refusal.success && refusals.has(status) };
};

/** Prints why there is no valid response, and sets the exit code. */
export const sayUnanswered = (
  { stderr, exit }: Pick<CommandContext, 'stderr' | 'exit'>,
  command: string,
  url: string,
  { reason, isRefused }: Unanswered,
): void => {
  stderr(`snowgauge ${command}: ${printable(`${shownUrl(url)}: ${reason}`, 500)}\n`);
  exit(isRefused ? exitCodes.usage : exitCodes.unknown);
};

const unlike = (status: number, location: Head['location'], line: string, isKnown: boolean): string => {
  if (line !== '')
    return `HTTP status ${status}: ${line}${status === 401 && !isKnown ? ': use --bearer-file or --basic-file' : ''}`;
  return location === undefined
    ? `HTTP status ${status}, not a response of snowgauge: is this its URL?`
    : `HTTP status ${status}: redirect to ${location || 'an address that is not a URL'}; use the URL of snowgauge itself`;
};

/** The first line, without a final colon, which would introduce further lines. */
const lineOf = (text: string): string => printable(text.trimStart().split('\n', 1)[0] ?? '').replace(/:$/, '');

const wordsOf = (failure: Failure): string => {
  if (failure.kind === 'refused') return 'connection refused: is snowgauge running, and is this its port?';
  if (failure.kind === 'http-status') return unlike(failure.status, undefined, '', true);
  // The remedy is an option that the commands for snowgauge do not have.
  return failure.kind === 'too-large' ? faultText(failure) : describe(failure, 'snowgauge');
};
