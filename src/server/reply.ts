// A reply of a route: ready-made bytes, or a page that is joined while it is sent. Helpers for text and JSON.

import type { Joined } from '../metrics/join.ts';
import type { Selection } from '../metrics/page.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Joined;
}

/** A reply in plain text that no client or proxy may cache. */
export const plainText = (status: number, body: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
});

export const readMethods: readonly string[] = ['GET', 'HEAD'];

export const notAllowed = (methods: readonly string[]): Reply =>
  plainText(405, `only ${methods.join(', ').replace(/, (\w+)$/, ' and $1')}\n`, { Allow: methods.join(', ') });

/** Headers of JSON and of pages, which are compressed if the client accepts that. */
export const varied = { 'Cache-Control': 'no-store', Vary: 'Accept-Encoding' };
export const forJson = { 'Content-Type': 'application/json; charset=utf-8', ...varied };

export const jsonReply = (status: number, body: unknown): Reply => ({
  status,
  headers: forJson,
  body: `${JSON.stringify(body)}\n`,
});

export const jsonError = (status: number, error: string): Reply => jsonReply(status, { error });

type MetricsBytes = Pick<Reply, 'body' | 'headers'>;

/** The page of metrics, or a part of it, for the request's Accept and Accept-Encoding. A promise only if it must be rendered first. */
export type MetricsReply = (
  accept: string | undefined,
  acceptEncoding: string | undefined,
  part?: Selection,
) => MetricsBytes | Promise<MetricsBytes>;
