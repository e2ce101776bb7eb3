// Limits the number of open connections. Above the limit, the client address with the most connections loses one: the least recently used
// idle connection, or else the least recently used one. So a client that opens hundreds of idle connections blocks only itself, and not the
// scrape of another client. If many clients share one proxy, none of them loses its response as long as another connection is idle.

import type { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';

type End = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Identifies a connection by its remote end, because with TLS, the request has a different socket. */
const endOf = ({ remoteAddress, remotePort }: End): string => `${remoteAddress} ${remotePort}`;

interface Connection {
  readonly socket: Socket;
  /** Pending requests. */
  pending: number;
  usedMs: number;
}

/** Milliseconds in which a new connection is not closed as idle, so that it can send its request. */
const defaultIdleMs = 1000;

/** The connections of one address by their remote ends. A map keeps the order of insertion: the first is the least recently used. */
type Connections = Map<string, Connection>;

/** Returns a function that must be called at the beginning of each request. */
export const boundConnections = (server: Server, limit: number, idleMs = defaultIdleMs) => {
  // Grouped by address, so that a new connection never costs a scan over all connections.
  const addresses = new Map<string, Connections>();
  let size = 0;
  const remove = (address: string, end: string): void => {
    const own = addresses.get(address);
    if (own?.delete(end) !== true) return;
    size -= 1;
    if (own.size === 0) addresses.delete(address);
  };
  const use = (address: string, end: string, one: Connection): void => {
    remove(address, end);
    one.usedMs = performance.now();
    const own: Connections = addresses.get(address) ?? new Map();
    addresses.delete(address);
    addresses.set(address, own.set(end, one));
    size += 1;
  };
  const makeRoom = (): void => {
    let largest: readonly [address: string, Connections] = ['', new Map()];
    for (const one of addresses) if (one[1].size > largest[1].size) largest = one;
    const [address, own] = largest;
    const spare = spareOf(own, performance.now() - idleMs);
    if (spare === undefined) return;
    const [end, { socket }] = spare;
    remove(address, end);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    const end = endOf(socket);
    use(address, end, { socket, pending: 0, usedMs: 0 });
    socket.once('close', () => {
      if (addresses.get(address)?.get(end)?.socket === socket) remove(address, end);
    });
    if (size > limit) makeRoom();
  });
  return (socket: End, response: EventEmitter): void => {
    const { remoteAddress: address = '' } = socket;
    const end = endOf(socket);
    const isOpen = (one: Connection): boolean => addresses.get(address)?.get(end) === one;
    const found = addresses.get(address)?.get(end);
    if (found === undefined) return;
    found.pending += 1;
    use(address, end, found);
    response.once('close', () => {
      found.pending -= 1;
      if (isOpen(found)) use(address, end, found);
    });
  };
};

/** The least recently used connection that is idle and was not used after `sinceMs`; else the least recently used one. */
const spareOf = (connections: Connections, sinceMs: number): readonly [end: string, Connection] | undefined => {
  const [oldest] = connections;
  for (const one of connections) {
    const [, { pending, usedMs }] = one;
    if (usedMs > sinceMs) break;
    if (pending === 0) return one;
  }
  return oldest;
};
