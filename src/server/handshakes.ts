// TLS handshakes begin in turns of the event loop: a signature takes a millisecond, and hundreds may come at once.

import type { Server, Socket } from 'node:net';
import { boundKeyChanges } from '../key-changes.ts';
import type { InTurn } from '../turns.ts';

/** An address whose connections change their keys without end has no others for so long: each would hold up all for as long again. */
const refusedMs = 30_000;
/** Most that are remembered: from each a connection had to be made. */
const maxRefused = 1000;

/** Gives whether an address is refused now. */
const refusedAddresses = (server: Server, open: ReadonlySet<Socket>): ((address: string) => boolean) => {
  const until = new Map<string, number>();
  server.on(
    'keylog',
    boundKeyChanges(({ remoteAddress = '', remotePort }) => {
      if (until.size >= maxRefused) until.clear();
      until.set(remoteAddress, performance.now() + refusedMs);
      // What its others have sent would be read in this turn too.
      for (const one of open) if (one.remoteAddress === remoteAddress && one.remotePort !== remotePort) one.destroy();
    }),
  );
  return (address) => {
    const end = until.get(address);
    if (end === undefined || performance.now() < end) return end !== undefined;
    until.delete(address);
    return false;
  };
};

/** To be called before anything else listens to the server. */
export const handshakesInTurn = (server: Server, inTurn: InTurn): void => {
  const [handshake] = server.listeners('connection');
  if (handshake === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners('connection');
  const open = new Set<Socket>();
  const isRefused = refusedAddresses(server, open);
  server.on('connection', (socket: Socket) => {
    // Who goes before it begins is nobody's fault.
    socket.on('error', () => socket.destroy());
    if (isRefused(socket.remoteAddress ?? '')) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(handshake, server, [socket]);
    };
    socket.once('close', inTurn(socket.remoteAddress ?? '', begin, 'new'));
  });
};
