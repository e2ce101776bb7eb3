// Traces requests to the node for `snowgauge debug`: addresses, connection, TLS.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { printable } from '../text.ts';
import type { Failure } from './outcome.ts';

export interface TlsTrace {
  readonly version: string;
  readonly cipher: string;
  /** Undefined if the server sent none. */
  readonly certificate: ReturnType<typeof certificateOf> | undefined;
  /** True, or the error code; absent if the connection ended before the result was known. */
  readonly verified?: true | string;
}

/** Times are milliseconds since the connection was started. */
export interface ConnectionTrace {
  /** Counted from 1 in the order of their start. */
  readonly id: number;
  readonly host: string;
  /** The resolved addresses; empty if the host is an address, or before it is resolved. */
  readonly addresses: readonly string[];
  readonly resolvedMs?: number;
  readonly peer?: string;
  readonly connectedMs?: number;
  readonly securedMs?: number;
  readonly tls?: TlsTrace;
  /** The error code, if the connection failed. */
  readonly error?: string;
}

/** One request. Members are undefined if they never happened. Times are milliseconds since the request was given to a connection. */
export interface RequestTrace {
  readonly connection: ConnectionTrace | undefined;
  /** Sent on a kept-alive connection. */
  readonly reused: boolean;
  readonly headMs: number | undefined;
  readonly endedMs: number;
  readonly contentType: string | undefined;
}

/** Returns a function that gives the trace at the end. `shown`: blanks secrets in a header or certificate. */
export type Tracer = (request: EventEmitter, shown: (text: string) => string) => (end: Buffer | Failure) => RequestTrace;

interface TracedConnection {
  readonly trace: () => ConnectionTrace;
  /** The connection failed with this error code. */
  readonly fail: (error: string) => void;
  /** A request on it timed out: so has the connection, unless it is established. */
  readonly timeOut: () => void;
}

export const traceRequests = (host: string): Tracer => {
  const known = new WeakMap<Socket, TracedConnection>();
  let count = 0;
  return (request, shown) => {
    const begunAt = performance.now();
    const since = (): number => performance.now() - begunAt;
    let connection: TracedConnection | undefined;
    let reused = false;
    let headMs: number | undefined;
    let contentType: string | undefined;
    request.on('socket', (socket: Socket) => {
      const before = known.get(socket);
      count += before === undefined ? 1 : 0;
      connection = before ?? traceConnection(socket, { id: count, host, addresses: [] }, shown);
      known.set(socket, connection);
      reused = before !== undefined;
    });
    request.on('response', ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) => {
      headMs = since();
      contentType = headers['content-type'] && printable(shown(headers['content-type']), 100);
    });
    // On the request, because not every version of Node.js emits the error of a failed TLS handshake on the socket.
    request.once('error', ({ code, name }: NodeJS.ErrnoException) => {
      if (headMs === undefined) connection?.fail(code ?? name);
    });
    return (end) => {
      if (!Buffer.isBuffer(end) && end.kind === 'timeout') connection?.timeOut();
      return { connection: connection?.trace(), reused, headMs, contentType, endedMs: since() };
    };
  };
};

const traceConnection = (socket: Socket, begun: ConnectionTrace, shown: (text: string) => string): TracedConnection => {
  const begunAt = performance.now();
  let trace = begun;
  const add = (more: Partial<ConnectionTrace>): void => {
    trace = { ...trace, ...more };
  };
  const since = (): number => performance.now() - begunAt;
  socket.on('lookup', (error: Error | null, address: string | null) => {
    if (error === null && address !== null) add({ addresses: [...trace.addresses, address].slice(0, 20), resolvedMs: since() });
  });
  socket.once('connect', () => {
    const { remoteAddress = '', remotePort = 0 } = socket;
    add({
      peer: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
      connectedMs: since(),
    });
  });
  if (socket instanceof TLSSocket) {
    // Before the listener of Node.js, which destroys the connection and its certificate if it does not trust it.
    socket.prependOnceListener('secure', () => add({ securedMs: since(), tls: tlsOf(socket, shown) }));
    socket.once('secureConnect', () => add({ tls: { ...tlsOf(socket, shown), verified: true } }));
  }
  const fail = (error: string): void => {
    const { tls } = trace;
    add({ error, ...(tls !== undefined && tls.verified === undefined && { tls: { ...tls, verified: error } }) });
  };
  const timeOut = (): void => {
    const isEstablished = socket instanceof TLSSocket ? trace.tls?.verified === true : trace.peer !== undefined;
    if (!isEstablished) fail('ETIMEDOUT');
  };
  return { trace: () => trace, fail, timeOut };
};

const tlsOf = (socket: TLSSocket, shown: (text: string) => string): TlsTrace => {
  const certificate = socket.getPeerCertificate();
  const isThere = Object.keys(certificate ?? {}).length > 0;
  const cipher = socket.getCipher()?.name ?? '';
  return { version: socket.getProtocol() ?? '', cipher, certificate: isThere ? certificateOf(certificate, shown) : undefined };
};

const certificateOf = (certificate: PeerCertificate, shown: (text: string) => string) => ({
  subject: nameOf(certificate.subject, shown),
  /** The subject alternative names. */
  names: printable(shown(certificate.subjectaltname ?? '')),
  issuer: nameOf(certificate.issuer, shown),
  validFrom: instantOf(certificate.valid_from),
  validTo: instantOf(certificate.valid_to),
});

const nameOf = (name: PeerCertificate['subject'] | undefined, shown: (text: string) => string): string =>
  printable(
    shown(
      Object.entries(name ?? {})
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(', '),
    ),
  );

const instantOf = (text: string): string => {
  const at = Date.parse(text);
  return Number.isFinite(at) ? new Date(at).toISOString() : printable(text);
};
