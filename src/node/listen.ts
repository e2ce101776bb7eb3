// The node's port: opened, closed for a while, reopened, closed for good.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { boundConnections } from '../connections.ts';
import { endRefused, isServed, oneRequestAtATime } from '../one-request.ts';
import { pause } from '../pause.ts';
import { type Arrivals, createArrivals, createFairQueue } from '../turns.ts';
import { lastResponse, ofAnyMethod } from './any-method.ts';
import { badRequest, type ExchangeDeps, serveExchange, tooLongHead, unknownCoding } from './exchange.ts';
import { maxConnections, maxHeadBytes, maxHeaders, requestSeconds, type UnsentLimits, unsentLimits } from './limits.ts';
import { bodyWanted } from './request-body.ts';
import { createUnsent } from './unsent.ts';

export type Listener = Extract<Awaited<ReturnType<typeof listen>>, { readonly kind: 'ok' }>['listener'];

interface ListenDeps extends Pick<ExchangeDeps, 'answer' | 'now'> {
  /** Filled with requests in progress -> start time, in milliseconds of `performance.now`. */
  readonly requests: Map<object, number>;
  /** Shared with the queue of method calls; by default its own. */
  readonly arrivals?: Arrivals;
  /** By default those of limits.ts. */
  readonly limits?: UnsentLimits;
  /** Timeout for the head and the body of a request to arrive; by default that of limits.ts. */
  readonly requestMs?: number;
  /** Called with errors thrown by the handling of a request. */
  readonly onFault: (error: unknown, request: IncomingMessage) => void;
}

const serverOptions = (requestMs: number) => ({
  // In milliseconds; the values are the real node's defaults.
  headersTimeout: requestMs,
  requestTimeout: requestMs,
  // How often node:http looks for requests that exceed these; its default is 30 s.
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 120_000,
  maxHeaderSize: maxHeadBytes,
  // Go responds to a missing Host header in its own words.
  requireHostHeader: false,
});

/** `refused`: the port is not available. `message`: why, and which flags to change. */
export const listen = async (host: string, port: number, deps: ListenDeps) => {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    used(request.socket, response);
    deps.requests.set(request, performance.now());
    response.once('close', () => deps.requests.delete(request));
    serveExchange(request, response, { ...exchanged, isClosing: () => !server.listening }).catch((error: unknown) => {
      // A bug of ours: as in Go's server, it ends this connection, and the node continues.
      deps.onFault(error, request);
      request.socket.destroy();
    });
  };
  const { arrivals = createArrivals(), limits = unsentLimits, requestMs = requestSeconds * 1000 } = deps;
  const exchanged = { ...deps, limits, unsent: createUnsent(limits) };
  const server = createServer(serverOptions(requestMs));
  // node:http drops headers beyond this count: one more than the limit shows that it was exceeded.
  server.maxHeadersCount = maxHeaders + 1;
  const inOrder = oneRequestAtATime(server, createFairQueue(arrivals));
  /** All connections: node:http does not know those that wait for their turn, nor those of CONNECT. */
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    arrivals.came();
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const used = boundConnections(server, maxConnections);
  /** Sockets with a response to a request that Node.js could not parse. Nothing more is read from them. */
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!isServed(socket) || answered.has(socket)) return;
    const parsed = ofAnyMethod(error, socket);
    if (parsed !== undefined) {
      answered.add(socket);
      answer(parsed.request, parsed.response);
      return;
    }
    endRefused(socket, refusals.get(error.code) ?? badRequest('400 Bad Request'));
  });
  server.on('connect', (request, socket) => {
    // Node.js no longer handles its events: it ends with its response.
    socket.on('error', () => socket.destroy()).once('finish', () => socket.destroy());
    const response = lastResponse(request);
    if (response === undefined) socket.destroy();
    else answer(request, response);
  });
  server.on('request', inOrder(answer));
  server.on(
    'checkContinue',
    inOrder((request, response) => {
      // As in Go: reading the body sends 100 Continue, and a response without that ends the connection.
      const isKept = response.shouldKeepAlive;
      response.shouldKeepAlive = false;
      request.once(bodyWanted, () => {
        response.shouldKeepAlive = isKept;
        response.writeContinue();
      });
      answer(request, response);
    }),
  );
  server.on(
    'checkExpectation',
    inOrder((request, response) => {
      if (request.headers.expect === '') answer(request, response);
      else response.writeHead(417, { Connection: 'close', 'Content-Length': 0 }).end();
    }),
  );
  try {
    await open(server, host, port);
  } catch (error) {
    const why = refusal(host, port, error);
    return { kind: 'refused' as const, why, message: `${why}: ${remedy}` };
  }
  const address = server.address();
  const ownPort = typeof address === 'object' && address !== null ? address.port : port;
  const listener = {
    port: ownPort,
    /** Closes the port and every connection. */
    shut: () => closeServer(server, connections, 0),
    /** Takes the same port again if it is closed. Until it can or the signal is aborted, it retries. Says once why it cannot. */
    reopen: async (signal: AbortSignal, onRefused: (why: string) => void): Promise<void> => {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        try {
          return await open(server, host, ownPort);
        } catch (error) {
          if (isFirst) onRefused(`${refusal(host, ownPort, error)}: retrying every ${reopenSeconds} s`);
        }
        await pause(reopenSeconds, signal);
      }
    },
    /** Accepts no new requests; those in progress may end within `graceSeconds`. */
    close: (graceSeconds: number) => closeServer(server, connections, graceSeconds),
  };
  return { kind: 'ok' as const, listener };
};

/** By error code of Node.js' parser. */
const refusals: ReadonlyMap<unknown, string> = new Map([
  ['HPE_HEADER_OVERFLOW', tooLongHead],
  ['HPE_INVALID_TRANSFER_ENCODING', unknownCoding],
]);

const remedy = 'choose another with --http-port (0 for any free port), or another address with --http-host';

const refusal = (host: string, port: number, error: unknown): string => {
  const why = error instanceof Error ? error.message : String(error);
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken ? `port ${port} on ${host} is taken` : `cannot listen on ${host}:${port} (${why})`;
};

const open = async (server: Server, host: string, port: number): Promise<void> => {
  if (server.listening) return;
  server.listen(port, host);
  // Rejects on an error event.
  await once(server, 'listening');
};

/** Between two attempts to take the port again. */
const reopenSeconds = 0.1;

const closeServer = async (server: Server, connections: ReadonlySet<Socket>, graceSeconds: number): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const force = setTimeout(() => {
    for (const one of connections) one.destroy();
  }, graceSeconds * 1000);
  await closed;
  clearTimeout(force);
};
