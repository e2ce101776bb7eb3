// Two TLS handshakes of an address are under way at a time. The certificates of all that come together are verified in one turn of the
// event loop: a hundred clients of an address would hold it for as long as all of them cost.

import type { Socket } from 'node:net';

const maxUnderWay = 2;
/** Who takes longer makes room where another waits. */
const slowMs = 1000;

interface Own {
  /** The oldest first, and since when, ms. */
  readonly underWay: Map<Socket, number>;
  readonly waiting: Map<Socket, () => void>;
}

export const handshakePlaces = () => {
  const addresses = new Map<string, Own>();

  const start = ({ underWay, waiting }: Own, socket: Socket, begin: () => void): void => {
    underWay.set(socket, performance.now());
    const timer = setTimeout(() => {
      if (waiting.size > 0) socket.destroy();
    }, slowMs);
    socket.once('close', () => clearTimeout(timer));
    begin();
  };

  return {
    /** Calls back now, or when one before it has left. */
    enter: (address: string, socket: Socket, begin: () => void): void => {
      const own: Own = addresses.get(address) ?? { underWay: new Map(), waiting: new Map() };
      addresses.set(address, own);
      if (own.underWay.size < maxUnderWay) {
        start(own, socket, begin);
        return;
      }
      own.waiting.set(socket, begin);
      const [oldest] = own.underWay;
      if (oldest !== undefined && performance.now() - oldest[1] > slowMs) oldest[0].destroy();
    },
    /** Its handshake has ended, or it has gone. */
    leave: (address: string, socket: Socket): void => {
      const own = addresses.get(address);
      if (own === undefined) return;
      own.waiting.delete(socket);
      // As in turns.ts: of many the oldest are given up.
      const [next, begin] = (own.underWay.delete(socket) && [...own.waiting].at(-1)) || [];
      if (next !== undefined && begin !== undefined) {
        own.waiting.delete(next);
        start(own, next, begin);
      }
      if (own.underWay.size === 0) addresses.delete(address);
    },
  };
};
