// One request to the API of a running snowgauge, with the options of a command line, and its answer as a schema wants it. By node:http:
// fetch needs WebAssembly, which the image's flags leave out.

import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import * as z from 'zod/mini';
import { echoesOf } from '../client/echoes.ts';
import { untrusted } from '../client/faults.ts';
import { readFile } from '../client/files.ts';
import type { ClientOptions } from '../client/options.ts';
import { codeOf, parsedJson } from '../text.ts';

/** `isRefused`: the request is wrong, not the connection. */
export type SnowgaugeAnswer<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly body: unknown }
  | { readonly kind: 'failed'; readonly reason: string; readonly isRefused: boolean };

export interface SnowgaugeRequest<S extends z.core.$ZodType> {
  readonly method?: 'GET' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: object | undefined;
  readonly shape: S;
}

/** Statuses with which snowgauge says that the request is wrong. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 415]);

/** Files of secrets are read for each request. */
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
  const reason = refusal.success ? refusal.data.error : `not an answer of snowgauge, status ${answer.status}`;
  return { kind: 'failed', reason, isRefused: refusal.success && refusals.has(answer.status) };
};

/** A text: why there is no answer. */
const exchange = (
  { baseUrl, timeoutMs, maxBodyBytes, headers, ...rest }: ClientOptions,
  method: string,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<string | { readonly status: number; readonly body: unknown }> =>
  new Promise((resolve) => {
    const { authorization, userAgent, tls } = credentials(rest);
    const echoes = echoesOf({ baseUrl, ...(headers && { headers }) }, authorization);
    const late = AbortSignal.timeout(timeoutMs);
    const isTls = /^https:/i.test(baseUrl);
    const failed = (error: unknown): void =>
      resolve(late.aborted ? `no answer within ${timeoutMs / 1000} s` : wordsOf(codeOf(error), isTls));
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
        if (size > maxBodyBytes) sent.destroy(new Error(`the answer is larger than ${maxBodyBytes} bytes`));
      });
      response.on('error', failed);
      response.on('end', () => {
        const body = parsedJson(echoes.inBody(Buffer.concat(chunks)).toString());
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    sent.on('error', failed);
    // 101: no response follows.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve({ status: statusCode ?? 101, body: undefined });
    });
    sent.end(text);
  });

const wordsOf = (code: string, isTls: boolean): string => {
  if (code === 'ECONNREFUSED') return 'connection refused: is snowgauge running, and is this its port?';
  if (code === 'ENOTFOUND') return 'there is no such host';
  if (/^(?:EPROTO$|ERR_SSL_)/.test(code)) return `TLS failed (${code}): does the port speak TLS? Otherwise use http://`;
  if (untrusted.test(code)) return `TLS failed (${code}): name its certificate authority with --ca-file`;
  if (code !== 'ECONNRESET') return code;
  return `connection reset: the port may ${isTls ? 'not ' : ''}speak TLS: try ${isTls ? 'http' : 'https'}://`;
};

const credentials = ({ tls, authorization, userAgent }: Pick<ClientOptions, 'tls' | 'authorization' | 'userAgent'>) => {
  const textOf = (file: string | undefined): string | undefined => {
    const read = file === undefined ? undefined : readFile(file);
    return read?.kind === 'ok' ? read.text : undefined;
  };
  const [ca, cert, key] = [tls?.caFile, tls?.certFile, tls?.keyFile].map(textOf);
  const secret = textOf(authorization?.credentialsFile)?.trim();
  const value = authorization?.type === 'Basic' && secret !== undefined ? Buffer.from(secret).toString('base64') : secret;
  return {
    userAgent,
    authorization: authorization && value ? `${authorization.type} ${value}` : undefined,
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  };
};
