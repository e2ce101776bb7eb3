// Bounds how many connections are open: of the address that has most, the one that was used longest ago makes room for a new one. So
// whoever opens hundreds and says nothing on them shuts out themselves, not the next scrape of another.

import type { Server, Socket } from 'node:net';

type End = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Of TLS, a request has another socket than the connection that carries it: both have the same other end. */
const endOf = ({ remoteAddress, remotePort }: End): string => `${remoteAddress} ${remotePort}`;

/** To be called with the connection on which a request began. */
export const boundConnections = (server: Server, limit: number): ((socket: End) => void) => {
  // A map keeps the order of insertion: the first is the one used longest ago.
  const sockets = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const end = endOf(socket);
    sockets.set(end, socket);
    socket.once('close', () => {
      if (sockets.get(end) === socket) sockets.delete(end);
    });
    if (sockets.size <= limit) return;
    const [spare, oldest] = spareOf(sockets);
    sockets.delete(spare);
    oldest?.destroy();
  });
  return (socket) => {
    const end = endOf(socket);
    const found = sockets.get(end);
    if (found === undefined) return;
    sockets.delete(end);
    sockets.set(end, found);
  };
};

/** The oldest of the address that has most. */
const spareOf = (sockets: ReadonlyMap<string, Socket>): readonly [end: string, socket: Socket | undefined] => {
  const counts = new Map<string, { readonly count: number; readonly oldest: string }>();
  for (const end of sockets.keys()) {
    const address = end.slice(0, end.lastIndexOf(' '));
    const { count = 0, oldest = end } = counts.get(address) ?? {};
    counts.set(address, { count: count + 1, oldest });
  }
  let most = { count: 0, oldest: '' };
  for (const one of counts.values()) if (one.count > most.count) most = one;
  return [most.oldest, sockets.get(most.oldest)];
};
