// Servers on port 0: HTTP with a handler, or raw TCP with a function per socket.

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { freePort } from './free-port.ts';

export interface Served {
  readonly url: string;
  readonly port: number;
  /** The number of accepted connections. */
  readonly connections: () => number;
  /** Closes every connection and the server. */
  readonly close: () => Promise<void>;
}

/** The server must already have its listeners. */
export const listening = async (server: Server | TcpServer, scheme: string): Promise<Served> => {
  const sockets = new Set<Socket>();
  let taken = 0;
  server.on('connection', (socket: Socket) => {
    taken += 1;
    sockets.add(socket);
    // Many tests are about clients that disconnect early.
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: `${scheme}://127.0.0.1:${port}`, port, connections: () => taken, close };
};

// Longer than a slow machine takes between two requests of a test.
const keepAliveTimeout = 600_000;

export const serveHttp = (handler: RequestListener): Promise<Served> =>
  listening(createServer({ keepAliveTimeout }, handler), 'http');

export const serveHttps = (options: ServerOptions, handler: RequestListener): Promise<Served> => {
  const server = createSecureServer({ keepAliveTimeout, ...options }, handler);
  server.on('tlsClientError', () => undefined);
  return listening(server, 'https');
};

/** `talk` is called once per connection. */
export const serveSocket = (talk: (socket: Socket) => void): Promise<Served> => listening(createTcpServer(talk), 'http');

/** The same response to every request. */
export const serveAnswer = (status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Served> =>
  serveHttp((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  });

/** A local port on which nothing listens. */
export const closedPort = freePort;
