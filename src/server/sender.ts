// Who sends a request, and what may be sent with it: for the paths that change something.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface Sender {
  /** Of the connection. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where it is larger, or breaks off. */
  readonly body: (maxBytes: number) => Promise<string | undefined>;
  /** The answer may take so long: the connection is not ended for standing still meanwhile. */
  readonly mayTake: (ms: number) => void;
}

/** For the answer's bytes to leave. */
const slackMs = 5000;

export const requestSender = (request: IncomingMessage, response: ServerResponse): Sender => ({
  address: request.socket.remoteAddress ?? '',
  headers: request.headers,
  body: (maxBytes) => {
    // Whoever asked whether to send it is told so.
    if (request.headers.expect !== undefined) response.writeContinue();
    return readBody(request, maxBytes);
  },
  // The next request on it has the server's own limit again.
  mayTake: (ms) => void request.socket.setTimeout(ms + slackMs),
});

/** The server's own limit ends one that is not there in time. */
const readBody = (request: IncomingMessage, maxBytes: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('close', () => resolve(undefined));
    request.on('error', () => resolve(undefined));
  });

/** A bearer token, or why there is none: never its content. */
export type TokenRead = { readonly kind: 'ok'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Why a sender may not change anything, with the remedy; undefined: it may. With a token nobody may without it: behind a proxy in the
 * same pod everybody comes from the loopback.
 */
export const refusalOf = ({ address, headers }: Sender, token: TokenRead | undefined): string | undefined => {
  if (headers.origin !== undefined) return 'maintenance windows cannot be changed from a web page: use `snowgauge maintenance`';
  if (token !== undefined) {
    if (token.kind === 'unreadable')
      return `maintenance.tokenFile cannot be read (${token.reason}): check its path and permissions`;
    const wanted = token.text.trim();
    if (wanted === '') return 'maintenance.tokenFile is empty: write a token into it';
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return isSame(given, wanted)
      ? undefined
      : 'the bearer token is missing or wrong: send the token of maintenance.tokenFile (--token-file)';
  }
  if (!isLoopback(address) || forwarded.some((name) => headers[name] !== undefined))
    return 'maintenance windows can only be changed from the loopback: use kubectl port-forward, or set maintenance.tokenFile';
  // A web page whose name was bound to the loopback afterwards sends that name; a mesh's proxy the name of the Service.
  return isLoopbackHost(headers.host ?? '')
    ? undefined
    : 'the Host header is not the loopback: connect to 127.0.0.1 or localhost';
};

/** What proxies add. */
const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** In a time that says nothing of either. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** No other of 127.0.0.0/8: a mesh's proxy comes from one of them. */
const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.0\.0\.1)$/.test(address);

const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
