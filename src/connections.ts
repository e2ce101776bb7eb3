// Bounds how many connections are open: of the address that has most, the one that was used longest ago makes room for a new one, and
// first of all one on which nothing is answered. So whoever opens hundreds and says nothing on them shuts out themselves, not the next
// scrape of another; and of many behind one proxy nobody loses an answer while there is a connection that waits for nothing.

import type { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';

type End = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Of TLS, a request has another socket than the connection that carries it: both have the same other end. */
const endOf = ({ remoteAddress, remotePort }: End): string => `${remoteAddress} ${remotePort}`;

interface Connection {
  readonly socket: Socket;
  /** Requests on it that are not answered yet. */
  asked: number;
  usedMs: number;
}

/** Milliseconds in which a new connection may bring its request: one that did not had its chance. */
const defaultIdleMs = 1000;

/** Of one address, by their ends. A map keeps the order of insertion: the first is the one used longest ago. */
type Connections = Map<string, Connection>;

/** To be called with each request, at its beginning. */
export const boundConnections = (server: Server, limit: number, idleMs = defaultIdleMs) => {
  // Whoever opens thousands pays for each: nothing here looks at all connections for one of them.
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
    let most: readonly [address: string, Connections] = ['', new Map()];
    for (const one of addresses) if (one[1].size > most[1].size) most = one;
    const [address, own] = most;
    const spare = spareOf(own, performance.now() - idleMs);
    if (spare === undefined) return;
    const [end, { socket }] = spare;
    remove(address, end);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    const end = endOf(socket);
    use(address, end, { socket, asked: 0, usedMs: 0 });
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
    found.asked += 1;
    use(address, end, found);
    response.once('close', () => {
      found.asked -= 1;
      if (isOpen(found)) use(address, end, found);
    });
  };
};

/** The oldest that is idle since then, else the oldest. */
const spareOf = (connections: Connections, sinceMs: number): readonly [end: string, Connection] | undefined => {
  const [oldest] = connections;
  for (const one of connections) {
    const [, { asked, usedMs }] = one;
    if (usedMs > sinceMs) break;
    if (asked === 0) return one;
  }
  return oldest;
};
