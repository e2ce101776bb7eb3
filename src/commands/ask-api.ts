// One request to the API of a running snowgauge. By node:http: fetch needs WebAssembly, which the image's flags leave out.

import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { codeOf, parsedJson } from '../text.ts';

export type ApiAnswer =
  | { readonly kind: 'ok'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

export interface ApiRequest {
  readonly method: string;
  readonly body?: object | undefined;
  readonly token?: string;
  /** Beside its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM: whom it trusts, and who it is. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
}

const defaults = {
  deadlineMs: 5000,
  /** A thousand windows with the longest reasons. */
  maxBytes: 4 * 1024 * 1024,
};

export const askApi = (
  url: string,
  { method, body, token, tls, ...given }: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer> =>
  new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { deadlineMs, maxBytes } = { ...defaults, ...given };
    const headers = {
      ...given.headers,
      Accept: 'application/json',
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    const late = AbortSignal.timeout(deadlineMs);
    const failed = (error: unknown): void =>
      resolve({
        kind: 'failed',
        reason: late.aborted ? `no answer within ${deadlineMs / 1000} s` : (words.get(codeOf(error)) ?? codeOf(error)),
      });
    const send = url.startsWith('https:') ? secure : plain;
    const sent = send(url, { method, headers, agent: false, ...tls, signal: AbortSignal.any([signal, late]) }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) sent.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
      });
      response.on('error', failed);
      response.on('end', () =>
        resolve({ kind: 'ok', status: response.statusCode ?? 0, body: parsedJson(Buffer.concat(chunks).toString()) }),
      );
    });
    sent.on('error', failed);
    sent.end(text);
  });

const words: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused: is snowgauge running, and is this its port?'],
  ['ENOTFOUND', 'there is no such host'],
]);
