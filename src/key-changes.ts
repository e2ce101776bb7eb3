// TLS changes its keys whenever the other side asks for it, before a byte reaches HTTP: nothing else counts that, and a connection that
// brings nothing else holds up the event loop for as long as it lasts.

import type { TLSSocket } from 'node:tls';

/** Lines in the log of keys of a connection: a handshake makes five, and a change of keys, due after millions of records, one. */
const maxLogged = 64;

export const keyChangeReason = 'changes the keys of TLS without end';

/** What was received already is read in one turn of the event loop otherwise, up to 2 MiB of it: pausing the socket would not end that. */
const stopReading = (socket: TLSSocket): void => {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle === 'object' && handle !== null && 'readStop' in handle && typeof handle.readStop === 'function')
    handle.readStop();
};

/**
 * To be called with each line. `flooded` is called once for a connection that makes too many, and the connection ends. OpenSSL still
 * reads: until the next turn of the event loop its socket must not go.
 */
export const boundKeyChanges = (flooded: (socket: TLSSocket) => void): ((line: Buffer, socket: TLSSocket) => void) => {
  const lines = new WeakMap<TLSSocket, number>();
  return (_line, socket) => {
    const count = (lines.get(socket) ?? 0) + 1;
    lines.set(socket, count);
    if (count !== maxLogged) return;
    stopReading(socket);
    flooded(socket);
    setImmediate(() => socket.destroy());
  };
};
