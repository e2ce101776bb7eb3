// Limits TLS messages without data, such as key updates and session tickets. They never reach HTTP, so no other limit counts them, and a
// connection that sends nothing else would block the event loop.

import type { TLSSocket } from 'node:tls';

/**
 * Limits `keylog` lines and session tickets per connection and time. A handshake makes five lines and brings one or two tickets. A key
 * update makes one line, and some servers send one every few minutes.
 */
const maxMessages = 64;
const withinMs = 60_000;

/**
 * Limits the bytes received in a handshake. Certificates usually have 2 to 8 KiB. OpenSSL accepts 100 KiB, and a hostile peer can make
 * certificates that take 4 ms to verify per kilobyte, for each connection.
 */
export const maxHandshakeBytes = 16 * 1024;

export const tlsFloodReason = 'sends TLS messages without end that carry no data';
export const renegotiationReason = 'asks for another TLS handshake in the same connection';

const memberOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;

/**
 * Stops reading. Otherwise, up to 2 MiB that were received already would be read in one iteration of the event loop, even if the socket is
 * paused.
 */
const stopReading = (socket: TLSSocket): void => {
  const readStop = memberOf(memberOf(socket, '_handle'), 'readStop');
  if (typeof readStop === 'function') readStop.call(memberOf(socket, '_handle'));
};

/** Encrypted bytes that were received. `bytesRead` of the socket itself counts decrypted bytes. */
export const receivedBy = (socket: TLSSocket): number =>
  Number(memberOf(memberOf(memberOf(socket, '_handle'), '_parent'), 'bytesRead') ?? 0);

/**
 * For clients: a TLS 1.2 server may request another handshake at any time. Each verifies the certificates again, and nothing counts these
 * requests. OpenSSL's option against renegotiation would even reply to each of them. Clients written in Go refuse it too.
 */
const onRenegotiation = (socket: TLSSocket, asked: () => void): void => {
  socket.once('secureConnect', () => {
    const handle = memberOf(socket, '_handle');
    if (typeof handle === 'object' && handle !== null) Reflect.set(handle, 'onhandshakestart', asked);
  });
};

/**
 * Returns a listener for `keylog`. `flooded` is called once for a connection above the limit. The connection is then closed in the next
 * iteration of the event loop, because OpenSSL is still reading from the socket.
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
