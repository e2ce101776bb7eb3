// Servers on port 0 that a test describes in a line: HTTP by a handler, or raw bytes by a socket.

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { freePort } from './free-port.ts';

export interface Served {
  readonly url: string;
  readonly port: number;
  /** Connections taken so far. */
  readonly connections: () => number;
  /** Ends every connection, and the server. */
  readonly close: () => Promise<void>;
}

/** The server is given its listeners before. */
export const listening = async (server: Server | TcpServer, scheme: string): Promise<Served> => {
  const sockets = new Set<Socket>();
  let taken = 0;
  server.on('connection', (socket: Socket) => {
    taken += 1;
    sockets.add(socket);
    // A client that leaves in the middle is what many of these tests are about.
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

// Longer than a slow machine takes between two requests of one test.
const keepAliveTimeout = 600_000;

export const serveHttp = (handler: RequestListener): Promise<Served> =>
  listening(createServer({ keepAliveTimeout }, handler), 'http');

export const serveHttps = (options: ServerOptions, handler: RequestListener): Promise<Served> => {
  const server = createSecureServer({ keepAliveTimeout, ...options }, handler);
  server.on('tlsClientError', () => undefined);
  return listening(server, 'https');
};

/** `talk` is called once for each connection. */
export const serveSocket = (talk: (socket: Socket) => void): Promise<Served> => listening(createTcpServer(talk), 'http');

/** The same answer to everything. */
export const serveAnswer = (status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Served> =>
  serveHttp((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  });

/** A port of this host that nothing listens on. */
export const closedPort = freePort;
