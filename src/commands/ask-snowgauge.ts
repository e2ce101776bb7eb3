// A question to the API of a running snowgauge, with the options of a command line, and its answer as a schema wants it.

import * as z from 'zod/mini';
import { readFile } from '../client/files.ts';
import type { ClientOptions } from '../client/options.ts';
import { askApi } from './ask-api.ts';

/** `isRefused`: the question is wrong, not the way. */
export type SnowgaugeAnswer<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly body: unknown }
  | { readonly kind: 'failed'; readonly reason: string; readonly isRefused: boolean };

/** `path` with its query. Files of secrets are read for each request. */
export const askSnowgauge = async <S extends z.core.$ZodType>(
  { baseUrl, timeoutMs, maxBodyBytes, headers, ...rest }: ClientOptions,
  path: string,
  shape: S,
  signal: AbortSignal,
): Promise<SnowgaugeAnswer<z.output<S>>> => {
  const { headers: own, tls } = credentials(rest);
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const request = { method: 'GET', headers: { ...headers, ...own }, tls, deadlineMs: timeoutMs, maxBytes: maxBodyBytes };
  const answer = await askApi(url, request, signal);
  if (answer.kind === 'failed') return { kind: 'failed', reason: answer.reason, isRefused: false };
  const read = z.safeParse(shape, answer.body);
  if (answer.status === 200 && read.success) return { kind: 'ok', value: read.data, body: answer.body };
  const refusal = z.safeParse(z.object({ error: z.string() }), answer.body);
  const reason = refusal.success ? refusal.data.error : `not an answer of snowgauge, status ${answer.status}`;
  return { kind: 'failed', reason, isRefused: answer.status === 400 || (refusal.success && answer.status === 404) };
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
    headers: { 'User-Agent': userAgent, ...(authorization && value && { Authorization: `${authorization.type} ${value}` }) },
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  };
};
