// The node's port: open, shut for a while, open again, closed for good.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ofAnyMethod, type Parsed } from './any-method.ts';
import { badRequest, type ExchangeDeps, exchange } from './exchange.ts';

export interface Listener {
  readonly port: number;
  /** The requests that are being answered. */
  readonly inFlight: () => { readonly outstanding: number; readonly longestSeconds: number };
  /** Closes the port and every connection; reopen takes the same port again. */
  readonly shut: () => Promise<void>;
  readonly reopen: () => Promise<void>;
  /** No new requests; those under way may end within so many seconds. */
  readonly close: (graceSeconds: number) => Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

export type Listening =
  | { readonly kind: 'ok'; readonly listener: Listener }
  /** The port cannot be had: why, and what to do. */
  | { readonly kind: 'refused'; readonly message: string };

/** Milliseconds, as the real node's defaults are. */
const timeouts = { headersTimeout: 30_000, requestTimeout: 30_000, keepAliveTimeout: 120_000 };

/** Bytes, as Go's default: Node's own would refuse a question with some three hundred tags. */
const maxHeaderSize = 2 ** 20;

export const listen = async (options: ListenOptions, deps: Omit<ExchangeDeps, 'isClosing'>): Promise<Listening> => {
  const startedAt = new Map<object, number>();
  // Go answers a missing Host header in its own words.
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    startedAt.set(request, performance.now());
    response.once('close', () => startedAt.delete(request));
    // What answering throws is a fault of ours, and ends the process as an unhandled rejection.
    void exchange(request, response, { ...deps, isClosing: () => !server.listening });
  };
  const server = createServer({ ...timeouts, maxHeaderSize, requireHostHeader: false }, answer);
  /** By hand: what else comes on them is not read. */
  const answered = new WeakSet<Socket>();
  server.on('clientError', (error, socket) => {
    if (!(socket instanceof Socket) || answered.has(socket)) return;
    const parsed = socket.writable ? requestIn(error, socket) : undefined;
    if (parsed !== undefined) {
      answered.add(socket);
      answer(parsed.request, parsed.response);
      return;
    }
    const isTooLong = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
    if (socket.writable) socket.end(badRequest(isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request'));
    else socket.destroy();
  });
  try {
    await open(server, options);
  } catch (error) {
    return { kind: 'refused', message: notListening(options, error) };
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const listener: Listener = {
    port,
    inFlight: () => {
      const outstanding = startedAt.size;
      const longest = outstanding === 0 ? 0 : performance.now() - Math.min(...startedAt.values());
      return { outstanding, longestSeconds: longest / 1000 };
    },
    shut: () => closeServer(server, 0),
    reopen: () => open(server, { host: options.host, port }),
    close: (graceSeconds) => closeServer(server, graceSeconds),
  };
  return { kind: 'ok', listener };
};

const requestIn = (error: object, socket: Socket): Parsed | undefined =>
  'code' in error && error.code === 'HPE_INVALID_METHOD' && 'rawPacket' in error && Buffer.isBuffer(error.rawPacket)
    ? ofAnyMethod(error.rawPacket, socket)
    : undefined;

const notListening = ({ host, port }: ListenOptions, error: unknown): string => {
  const remedy = 'choose another with --http-port (0 for any that is free), or another address with --http-host';
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const why = error instanceof Error ? error.message : String(error);
  return isTaken ? `port ${port} on ${host} is taken: ${remedy}` : `cannot listen on ${host}:${port} (${why}): ${remedy}`;
};

const open = async (server: Server, { host, port }: ListenOptions): Promise<void> => {
  server.listen(port, host);
  // Rejects on an error event.
  await once(server, 'listening');
};

const closeServer = async (server: Server, graceSeconds: number): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const force = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await closed;
  clearTimeout(force);
};
