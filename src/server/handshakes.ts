// Queues TLS handshakes: each costs a signature of about a millisecond, and hundreds of clients may connect at once. A client address
// that sends too many bytes in its handshakes is blocked for a while (it "rests").

import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { boundTlsMessages, maxHandshakeBytes } from '../tls-floods.ts';
import type { FairQueue } from '../turns.ts';
import { handshakeSlots } from './handshake-slots.ts';

/** How long, at most, connections of an address that floods TLS are refused: each of them would block the event loop again. */
const maxRestMs = 30_000;
/** Addresses that are remembered. They cannot be forged, because each has connected. */
const maxResting = 1000;
/** Milliseconds of the block per byte of a handshake that was in vain: a hundred times the CPU time of the most expensive certificates. */
const restMsPerByte = 400 / 1024;
/**
 * Bytes of a handshake that do not cause a block. Refused: port scans, and clients that do not trust our certificate. Unverified: a
 * certificate that anyone could send.
 */
const free = { refused: 3 * 1024, unverified: 4 * 1024, verified: maxHandshakeBytes };

const createRests = () => {
  const until = new Map<string, number>();
  return {
    /** Extends the current block of the address by `ms` milliseconds, up to the maximum. */
    rest: (address: string, ms = maxRestMs): void => {
      const now = performance.now();
      if (until.size >= maxResting) until.clear();
      until.set(address, Math.min(Math.max(now, until.get(address) ?? 0) + ms, now + maxRestMs));
    },
    isResting: (address: string): boolean => {
      const end = until.get(address);
      if (end === undefined || performance.now() < end) return end !== undefined;
      until.delete(address);
      return false;
    },
  };
};

/** Call it before anything else adds a `connection` listener to the server: it replaces the one of node:tls. */
export const queueHandshakes = (server: Server, inTurn: FairQueue): void => {
  const [handshake] = server.listeners('connection');
  if (handshake === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners('connection');
  const { rest, isResting } = createRests();
  const slots = handshakeSlots();
  const open = new Set<Socket>();
  /** By remote address and port, during the handshake. */
  const handshakes = new Map<string, Socket>();
  const flooded = (address: string, port: number | undefined): void => {
    rest(address);
    // Its other connections may have sent as much, which would be read in this iteration of the event loop too.
    for (const one of open) if (one.remoteAddress === address && one.remotePort !== port) one.destroy();
  };
  server.on(
    'keylog',
    boundTlsMessages(({ remoteAddress = '', remotePort }) => flooded(remoteAddress, remotePort)),
  );
  /**
   * Blocks the address for a time if it sent more than `freeBytes` in its handshake; they may include a first request. Returns whether it
   * sent more than any handshake needs.
   */
  const ended = (address: string, port: number | undefined, freeBytes: number): boolean => {
    const socket = handshakes.get(`${address} ${port}`);
    if (socket === undefined) return false;
    handshakes.delete(`${address} ${port}`);
    const isTooMuch = socket.bytesRead > maxHandshakeBytes;
    const restMs = isTooMuch ? maxRestMs : (socket.bytesRead - freeBytes) * restMsPerByte;
    if (restMs > 0) {
      rest(address, restMs);
      // Its other handshakes would cost as much. Established connections stay: they may be of another client behind the same address.
      for (const one of handshakes.values()) if (one.remoteAddress === address) one.destroy();
    }
    slots.leave(address, socket);
    return isTooMuch;
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    // A socket that `web.guard` has refused is destroyed by now, and has no address any more: its `close` event counts it.
    if (ended(socket.remoteAddress ?? '', socket.remotePort, freeFor(socket))) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '', remotePort } = socket;
    // A client may disconnect before its handshake begins. That is not an error.
    socket.on('error', () => socket.destroy());
    if (isResting(address)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    handshakes.set(`${address} ${remotePort}`, socket);
    socket.once('close', () => {
      open.delete(socket);
      // The handshake failed, or the client was refused.
      ended(address, remotePort, free.refused);
    });
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(handshake, server, [socket]);
    };
    slots.enter(address, socket, () => socket.once('close', inTurn(address, begin, 'new')));
  });
};

/** The bytes of a handshake that do not block an accepted client. */
const freeFor = (socket: TLSSocket): number =>
  socket.authorized || Object.keys(socket.getPeerCertificate() ?? {}).length === 0 ? free.verified : free.unverified;
