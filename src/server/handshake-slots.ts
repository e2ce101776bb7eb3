// At most two TLS handshakes per client address at a time. Certificates that arrive together are verified in one iteration of the event
// loop, so a hundred clients of one address could block it until all their certificates are verified.

import type { Socket } from 'node:net';

const maxRunning = 2;
/** A handshake that takes longer is ended if another one of its address waits. */
const slowMs = 1000;

interface Own {
  /** Socket -> when its handshake began, ms; oldest first. */
  readonly running: Map<Socket, number>;
  readonly waiting: Map<Socket, () => void>;
}

export const handshakeSlots = () => {
  const addresses = new Map<string, Own>();

  const start = ({ running, waiting }: Own, socket: Socket, begin: () => void): void => {
    running.set(socket, performance.now());
    const timer = setTimeout(() => {
      if (waiting.size > 0 && running.has(socket)) socket.destroy();
    }, slowMs);
    socket.once('close', () => clearTimeout(timer));
    begin();
  };

  return {
    /** Calls `begin` now, or when an earlier handshake of the address has ended. */
    enter: (address: string, socket: Socket, begin: () => void): void => {
      const own: Own = addresses.get(address) ?? { running: new Map(), waiting: new Map() };
      addresses.set(address, own);
      if (own.running.size < maxRunning) {
        start(own, socket, begin);
        return;
      }
      own.waiting.set(socket, begin);
      const [oldest] = own.running;
      if (oldest !== undefined && performance.now() - oldest[1] > slowMs) oldest[0].destroy();
    },
    /** Call it when the handshake has ended or the connection is closed. */
    leave: (address: string, socket: Socket): void => {
      const own = addresses.get(address);
      if (own === undefined) return;
      own.waiting.delete(socket);
      // The newest first, as in turns.ts: if more arrive than can be served, the oldest are closed.
      const [next, begin] = (own.running.delete(socket) && [...own.waiting].at(-1)) || [];
      if (next !== undefined && begin !== undefined) {
        own.waiting.delete(next);
        start(own, next, begin);
      }
      if (own.running.size === 0) addresses.delete(address);
    },
  };
};
