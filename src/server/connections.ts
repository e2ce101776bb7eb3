// Bounds how many connections are open: the one that was used longest ago makes room for a new one. So whoever opens hundreds
// and says nothing on them shuts out themselves, not the kubelet's next probe.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** To be called with the connection on which a request began. */
export const boundConnections = (server: Server, limit: number): ((socket: Socket) => void) => {
  // A set keeps the order of insertion: the first is the one used longest ago.
  const sockets = new Set<Socket>();
  const used = (socket: Socket): void => {
    if (sockets.delete(socket)) sockets.add(socket);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (sockets.size <= limit) return;
    const [oldest] = sockets;
    if (oldest === undefined) return;
    sockets.delete(oldest);
    oldest.destroy();
  });
  return used;
};
