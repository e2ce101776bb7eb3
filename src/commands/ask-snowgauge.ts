// Sends one request to the API of a running snowgauge, with the options of a command line, and checks the response against a schema. Uses
// node:http, because fetch needs WebAssembly, which the image's flags turn off.

import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import * as z from 'zod/mini';
import { echoesOf } from '../client/echoes.ts';
import { failureOf } from '../client/faults.ts';
import { type FileRead, readFile } from '../client/files.ts';
import { authorizationHeader, type ClientOptions } from '../client/options.ts';
import { describe, type Failure } from '../client/outcome.ts';
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
  readonly method?: 'GET' | 'PUT' | 'DELETE';
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
  { method = 'GET', path, body, shape }: SnowgaugeRequest<S>,
  signal: AbortSignal,
): Promise<SnowgaugeAnswer<z.output<S>>> => {
  const answer = await exchange(options, method, path, body === undefined ? '' : JSON.stringify(body), signal);
  if (typeof answer === 'string') return { kind: 'failed', reason: answer, isRefused: false };
  const read = z.safeParse(shape, answer.body);
  if (answer.status === 200 && read.success) return { kind: 'ok', value: read.data, body: answer.body };
  const refusal = z.safeParse(z.object({ error: z.string() }), answer.body);
  const reason = refusal.success ? refusal.data.error : unlike(answer, options.authorization !== undefined);
  return { kind: 'failed', reason, isRefused: refusal.success && refusals.has(answer.status) };
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

interface Exchanged {
  readonly status: number;
  readonly body?: unknown;
  /** Target of a redirect, without secrets. */
  readonly location?: string;
  /** The first line of a text response. */
  readonly line?: string;
}

const unlike = ({ status, location, line }: Exchanged, isKnown: boolean): string => {
  if (line) return `HTTP status ${status}: ${line}${status === 401 && !isKnown ? ': use --bearer-file or --basic-file' : ''}`;
  return location === undefined
    ? `HTTP status ${status}, not a response of snowgauge: is this its URL?`
    : `HTTP status ${status}: redirect to ${location || 'an address that is not a URL'}; use the URL of snowgauge itself`;
};

/** Returns a text if there is no response: the reason. */
const exchange = (
  { baseUrl, timeoutMs, maxBodyBytes, headers, ...rest }: ClientOptions,
  method: string,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<string | Exchanged> =>
  new Promise((resolve) => {
    const { authorization, userAgent, tls } = credentials(rest);
    const echoes = echoesOf({ baseUrl, ...(headers && { headers }) }, authorization);
    const late = AbortSignal.timeout(timeoutMs);
    const isTls = /^https:/i.test(baseUrl);
    const startedAt = performance.now();
    const failed = (error: unknown): void => {
      const failure = failureOf(error, performance.now() - startedAt, echoes.inText);
      resolve(late.aborted ? `no response within ${timeoutMs / 1000} s` : wordsOf(failure, isTls));
    };
    const options = {
      method,
      headers: {
        ...headers,
        'User-Agent': userAgent,
        ...(authorization !== undefined && { Authorization: authorization }),
        Accept: 'application/json',
        ...(text !== '' && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      },
      agent: false,
      ...tls,
      signal: AbortSignal.any([signal, late]),
    };
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
    const sent = (isTls ? secure : plain)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBodyBytes) return;
        resolve(`the response is larger than ${maxBodyBytes} bytes`);
        sent.destroy();
      });
      response.on('error', failed);
      response.on('end', () => {
        const answered = echoes.inBody(Buffer.concat(chunks)).toString();
        const { statusCode: status = 0, headers } = response;
        const { location } = status >= 300 && status < 400 ? headers : {};
        const isInWords = inWords.has(status) && /^text\/plain\b/i.test(headers['content-type'] ?? '');
        resolve({
          status,
          body: parsedJson(answered),
          ...(isInWords && { line: lineOf(answered) }),
          ...(location !== undefined && { location: printable(shownUrl(echoes.inText(location), url)) }),
        });
      });
    });
    sent.on('error', failed);
    // After status 101 no response follows.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve({ status: statusCode ?? 101 });
    });
    sent.end(text);
  });

/** Removes a final colon, which would introduce further lines. */
const lineOf = (text: string): string => printable(text.trimStart().split('\n', 1)[0] ?? '').replace(/:$/, '');

const wordsOf = (failure: Failure, isTls: boolean): string => {
  if (failure.kind === 'refused') return 'connection refused: is snowgauge running, and is this its port?';
  return describe(failure.kind === 'reset' ? { ...failure, maySpeak: isTls ? 'http' : 'https' } : failure, 'snowgauge');
};

const credentials = ({ tls, authorization, userAgent }: Pick<ClientOptions, 'tls' | 'authorization' | 'userAgent'>) => {
  const textOf = (read: FileRead | undefined): string | undefined => (read?.kind === 'ok' ? read.text : undefined);
  const [ca, cert, key] = [tls?.caFile, tls?.certFile, tls?.keyFile].map((file) =>
    textOf(file === undefined ? file : readFile(file)),
  );
  return {
    userAgent,
    authorization: textOf(authorization && authorizationHeader(authorization.type, readFile(authorization.credentialsFile))),
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  };
};
