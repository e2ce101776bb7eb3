// The client of a request, its body, and whether it may change something.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface Sender {
  /** The peer address of the connection. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the body is larger, or incomplete. */
  readonly body: (maxBytes: number) => Promise<string | undefined>;
  /** The response may take this long: raises the connection's idle timeout. */
  readonly mayTake: (ms: number) => void;
}

/** Time to send the response. */
const slackMs = 5000;

export const requestSender = (request: IncomingMessage, response: ServerResponse): Sender => ({
  address: request.socket.remoteAddress ?? '',
  headers: request.headers,
  body: (maxBytes) => {
    // The client waits for 100 Continue before it sends the body.
    if (request.headers.expect !== undefined) response.writeContinue();
    return readBody(request, maxBytes);
  },
  // node:http restores the server's timeout for the next request of the connection.
  mayTake: (ms) => void request.socket.setTimeout(ms + slackMs),
});

/** The server's request timeout ends a body that does not arrive in time. */
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
 * Why a client may not change anything, with the remedy; undefined: it may. If a token is configured, everybody needs it, because behind a
 * proxy in the same pod every request comes from the loopback.
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
  // In a DNS rebinding attack, the name of a web page resolves to the loopback, and the browser sends that name. The proxy of a service
  // mesh sends the name of the Service.
  return isLoopbackHost(headers.host ?? '')
    ? undefined
    : 'the Host header is not the loopback: connect to 127.0.0.1 or localhost';
};

/** Headers that proxies add. */
const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Compares in constant time, so that the duration reveals nothing about the token. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Not all of 127.0.0.0/8: the proxy of a service mesh connects from another address in it. */
const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.0\.0\.1)$/.test(address);

const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
