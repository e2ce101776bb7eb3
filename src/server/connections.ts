// Bounds how many connections are open: the one that was used longest ago makes room for a new one. So whoever opens hundreds
// and says nothing on them shuts out themselves, not the kubelet's next probe.

import type { Server, Socket } from 'node:net';

/** Of TLS, a request has another socket than the connection that carries it: both have the same other end. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** To be called with the connection on which a request began. */
export const boundConnections = (server: Server, limit: number): ((socket: Socket) => void) => {
  // A map keeps the order of insertion: the first is the one used longest ago.
  const sockets = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const end = endOf(socket);
    sockets.set(end, socket);
    socket.once('close', () => {
      if (sockets.get(end) === socket) sockets.delete(end);
    });
    if (sockets.size <= limit) return;
    const [oldest] = sockets;
    if (oldest === undefined) return;
    sockets.delete(oldest[0]);
    oldest[1].destroy();
  });
  return (socket) => {
    const end = endOf(socket);
    const found = sockets.get(end);
    if (found === undefined) return;
    sockets.delete(end);
    sockets.set(end, found);
  };
};
