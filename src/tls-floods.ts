// TLS changes its keys whenever the other side asks for it, and keeps the session tickets that a server sends, before a byte reaches HTTP:
// nothing else counts either, and a connection that brings nothing else holds up the event loop for as long as it lasts.

import type { TLSSocket } from 'node:tls';

/**
 * Lines in the log of keys of a connection, and its tickets, within a time: a handshake makes five and brings one or two, and a change of
 * keys makes one, which some servers want every few minutes.
 */
const maxMessages = 64;
const withinMs = 60_000;

export const tlsFloodReason = 'sends TLS messages without end that carry no data';

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
export const boundTlsMessages = (flooded: (socket: TLSSocket) => void): ((line: Buffer, socket: TLSSocket) => void) => {
  const counts = new WeakMap<TLSSocket, { readonly since: number; readonly messages: number }>();
  const count = (socket: TLSSocket): void => {
    const now = performance.now();
    const last = counts.get(socket);
    if (last === undefined) socket.on('session', () => count(socket));
    const { since, messages } = last !== undefined && now - last.since <= withinMs ? last : { since: now, messages: 0 };
    counts.set(socket, { since, messages: messages + 1 });
    if (messages + 1 !== maxMessages) return;
    stopReading(socket);
    flooded(socket);
    setImmediate(() => socket.destroy());
  };
  return (_line, socket) => count(socket);
};
