// TLS changes its keys whenever the other side asks for it, and keeps the session tickets that a server sends, before a byte reaches HTTP:
// nothing else counts either, and a connection that brings nothing else holds up the event loop for as long as it lasts.

import type { TLSSocket } from 'node:tls';

/**
 * Lines in the log of keys of a connection, and its tickets, within a time: a handshake makes five and brings one or two, and a change of
 * keys makes one, which some servers want every few minutes.
 */
const maxMessages = 64;
const withinMs = 60_000;

/**
 * Most bytes of the other side in a handshake. Certificates are 2 to 8 KiB. OpenSSL takes a hundred, and to verify a kilobyte of them may be
 * made to cost it 4 ms, of each connection.
 */
export const maxHandshakeBytes = 16 * 1024;

export const tlsFloodReason = 'sends TLS messages without end that carry no data';
export const renegotiationReason = 'asks for another TLS handshake in the same connection';

const memberOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;

/** What was received already is read in one turn of the event loop otherwise, up to 2 MiB of it: pausing the socket would not end that. */
const stopReading = (socket: TLSSocket): void => {
  const readStop = memberOf(memberOf(socket, '_handle'), 'readStop');
  if (typeof readStop === 'function') readStop.call(memberOf(socket, '_handle'));
};

/** Bytes, as they came: `bytesRead` counts what was in them. */
export const receivedBy = (socket: TLSSocket): number =>
  Number(memberOf(memberOf(memberOf(socket, '_handle'), '_parent'), 'bytesRead') ?? 0);

/**
 * Of a client: a server of TLS 1.2 may ask for another handshake at any time. Its certificates are verified in each, and nothing counts the
 * messages that ask for one: with OpenSSL's option against it each of them would even be answered. Clients written in Go refuse it too.
 */
const onRenegotiation = (socket: TLSSocket, asked: () => void): void => {
  socket.once('secureConnect', () => {
    const handle = memberOf(socket, '_handle');
    if (typeof handle === 'object' && handle !== null) Reflect.set(handle, 'onhandshakestart', asked);
  });
};

/**
 * To be called with each line. `flooded` is called once for a connection that makes too many, and the connection ends. OpenSSL still
 * reads: until the next turn of the event loop its socket must not go.
 */
export const boundTlsMessages = (
  flooded: (socket: TLSSocket, reason: string) => void,
): ((line: Buffer, socket: TLSSocket) => void) => {
  const counts = new WeakMap<TLSSocket, { readonly since: number; readonly messages: number }>();
  const end = (socket: TLSSocket, reason: string): void => {
    stopReading(socket);
    flooded(socket, reason);
    setImmediate(() => socket.destroy());
  };
  const count = (socket: TLSSocket): void => {
    const now = performance.now();
    const last = counts.get(socket);
    if (last === undefined) {
      socket.on('session', () => count(socket));
      onRenegotiation(socket, () => end(socket, renegotiationReason));
    }
    const { since, messages } = last !== undefined && now - last.since <= withinMs ? last : { since: now, messages: 0 };
    counts.set(socket, { since, messages: messages + 1 });
    if (messages + 1 === maxMessages) end(socket, tlsFloodReason);
  };
  return (_line, socket) => count(socket);
};
