// TLS handshakes begin in turns of the event loop: a signature takes a millisecond, and hundreds may come at once.

import type { Server, Socket } from 'node:net';
import type { InTurn } from '../turns.ts';

/** To be called before anything else listens to the server. */
export const handshakesInTurn = (server: Server, inTurn: InTurn): void => {
  const [handshake] = server.listeners('connection');
  if (handshake === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // Who goes before it begins is nobody's fault.
    socket.on('error', () => socket.destroy());
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(handshake, server, [socket]);
    };
    socket.once('close', inTurn(socket.remoteAddress ?? '', begin, 'new'));
  });
};
