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

/** To be called with each request, at its beginning. */
export const boundConnections = (server: Server, limit: number, idleMs = defaultIdleMs) => {
  // A map keeps the order of insertion: the first is the one used longest ago.
  const connections = new Map<string, Connection>();
  const use = (end: string, one: Connection): void => {
    one.usedMs = performance.now();
    connections.delete(end);
    connections.set(end, one);
  };
  server.on('connection', (socket: Socket) => {
    const end = endOf(socket);
    use(end, { socket, asked: 0, usedMs: 0 });
    socket.once('close', () => {
      if (connections.get(end)?.socket === socket) connections.delete(end);
    });
    if (connections.size <= limit) return;
    const [spare, oldest] = spareOf(connections, performance.now() - idleMs);
    connections.delete(spare);
    oldest?.socket.destroy();
  });
  return (socket: End, response: EventEmitter): void => {
    const end = endOf(socket);
    const found = connections.get(end);
    if (found === undefined) return;
    found.asked += 1;
    use(end, found);
    response.once('close', () => {
      found.asked -= 1;
      if (connections.get(end) === found) use(end, found);
    });
  };
};

/** Of the address that has most the oldest that is idle since then, else the oldest. */
const spareOf = (
  connections: ReadonlyMap<string, Connection>,
  sinceMs: number,
): readonly [end: string, Connection | undefined] => {
  const counts = new Map<string, { count: number; readonly oldest: string; idle: string | undefined }>();
  for (const [end, { asked, usedMs }] of connections) {
    const address = end.slice(0, end.lastIndexOf(' '));
    const of = counts.get(address) ?? { count: 0, oldest: end, idle: undefined };
    of.count += 1;
    if (asked === 0 && usedMs <= sinceMs) of.idle ??= end;
    counts.set(address, of);
  }
  const most = [...counts.values()].reduce((a, b) => (b.count > a.count ? b : a));
  const spare = most.idle ?? most.oldest;
  return [spare, connections.get(spare)];
};
