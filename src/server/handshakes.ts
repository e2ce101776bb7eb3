// TLS handshakes begin in turns of the event loop: a signature takes a millisecond, and hundreds may come at once.

import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { boundTlsMessages, maxHandshakeBytes } from '../tls-floods.ts';
import type { FairQueue } from '../turns.ts';
import { handshakePlaces } from './handshake-places.ts';

/** An address that floods TLS has no other connections for so long, at most: each would hold up all for as long again. */
const maxRestMs = 30_000;
/** Most that are remembered: from each a connection had to be made. */
const maxResting = 1000;
/** A hundred times what certificates cost at worst, of an address whose certificates were verified for nothing. */
const restMsPerByte = 400 / 1024;
/** Bytes that cost no rest. Refused: a port that is looked at, a client that does not trust us. Unverified: a certificate that anyone may show. */
const free = { refused: 3 * 1024, unverified: 4 * 1024, verified: maxHandshakeBytes };

const createRests = () => {
  const until = new Map<string, number>();
  return {
    /** After what it has to rest already. */
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

/** To be called before anything else listens to the server. */
export const handshakesInTurn = (server: Server, inTurn: FairQueue): void => {
  const [handshake] = server.listeners('connection');
  if (handshake === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners('connection');
  const { rest, isResting } = createRests();
  const places = handshakePlaces();
  const open = new Set<Socket>();
  /** Of the other end, where its handshake has not ended yet. */
  const handshakes = new Map<string, Socket>();
  const flooded = (address: string, port: number | undefined): void => {
    rest(address);
    // What its others have sent would be read in this turn too.
    for (const one of open) if (one.remoteAddress === address && one.remotePort !== port) one.destroy();
  };
  server.on(
    'keylog',
    boundTlsMessages(({ remoteAddress = '', remotePort }) => flooded(remoteAddress, remotePort)),
  );
  /** `freeBytes`: what is more has a rest as its price. A first request that came along counts too. Gives whether it brought too much. */
  const ended = (address: string, port: number | undefined, freeBytes: number): boolean => {
    const socket = handshakes.get(`${address} ${port}`);
    if (socket === undefined) return false;
    handshakes.delete(`${address} ${port}`);
    const isTooMuch = socket.bytesRead > maxHandshakeBytes;
    const restMs = isTooMuch ? maxRestMs : (socket.bytesRead - freeBytes) * restMsPerByte;
    if (restMs > 0) {
      rest(address, restMs);
      // Its others that have begun would cost as much; those that were let in are another client's, perhaps, behind the same address.
      for (const one of handshakes.values()) if (one.remoteAddress === address) one.destroy();
    }
    places.leave(address, socket);
    return isTooMuch;
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    // Whoever is not let in has been sent away by now, and has no address any more.
    if (ended(socket.remoteAddress ?? '', socket.remotePort, freeFor(socket))) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '', remotePort } = socket;
    // Who goes before it begins is nobody's fault.
    socket.on('error', () => socket.destroy());
    if (isResting(address)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    handshakes.set(`${address} ${remotePort}`, socket);
    socket.once('close', () => {
      open.delete(socket);
      // It failed, or whoever is not let in has been sent away.
      ended(address, remotePort, free.refused);
    });
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(handshake, server, [socket]);
    };
    places.enter(address, socket, () => socket.once('close', inTurn(address, begin, 'new')));
  });
};

/** Of one that was let in. */
const freeFor = (socket: TLSSocket): number =>
  socket.authorized || Object.keys(socket.getPeerCertificate() ?? {}).length === 0 ? free.verified : free.unverified;
