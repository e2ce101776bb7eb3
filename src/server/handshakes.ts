// TLS handshakes begin in turns of the event loop: a signature takes a millisecond, and hundreds may come at once.

import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { boundTlsMessages } from '../tls-floods.ts';
import type { InTurn } from '../turns.ts';

/** An address that floods TLS has no other connections for so long: each would hold up all for as long again. */
const refusedMs = 30_000;
/** Most that are remembered: from each a connection had to be made. */
const maxRefused = 1000;
/**
 * Bytes up to the end of a handshake, with a first request that came along: certificates are some kilobytes. OpenSSL takes a hundred, and to
 * verify a certificate may be made to cost it 6 ms.
 */
const maxHandshakeBytes = 16 * 1024;

const refusals = () => {
  const until = new Map<string, number>();
  return {
    refuse: (address: string): void => {
      if (until.size >= maxRefused) until.clear();
      until.set(address, performance.now() + refusedMs);
    },
    isRefused: (address: string): boolean => {
      const end = until.get(address);
      if (end === undefined || performance.now() < end) return end !== undefined;
      until.delete(address);
      return false;
    },
  };
};

/** To be called before anything else listens to the server. */
export const handshakesInTurn = (server: Server, inTurn: InTurn): void => {
  const [handshake] = server.listeners('connection');
  if (handshake === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners('connection');
  const { refuse, isRefused } = refusals();
  const open = new Set<Socket>();
  /** Of the other end, where its handshake has not ended yet. */
  const handshakes = new Map<string, Socket>();
  const flooded = (address: string, port: number | undefined): void => {
    refuse(address);
    // What its others have sent would be read in this turn too.
    for (const one of open) if (one.remoteAddress === address && one.remotePort !== port) one.destroy();
  };
  server.on(
    'keylog',
    boundTlsMessages(({ remoteAddress = '', remotePort }) => flooded(remoteAddress, remotePort)),
  );
  /** Whether it brought too much. */
  const ended = (address: string, port: number | undefined): boolean => {
    const socket = handshakes.get(`${address} ${port}`);
    handshakes.delete(`${address} ${port}`);
    if (socket === undefined || socket.bytesRead <= maxHandshakeBytes) return false;
    refuse(address);
    // Its others that have begun would cost as much; those that were let in are another client's, perhaps, behind the same address.
    for (const one of handshakes.values()) if (one.remoteAddress === address) one.destroy();
    return true;
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    if (ended(socket.remoteAddress ?? '', socket.remotePort)) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '', remotePort } = socket;
    // Who goes before it begins is nobody's fault.
    socket.on('error', () => socket.destroy());
    if (isRefused(address)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    handshakes.set(`${address} ${remotePort}`, socket);
    socket.once('close', () => {
      open.delete(socket);
      // It failed, or whoever is not let in has been sent away.
      ended(address, remotePort);
    });
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(handshake, server, [socket]);
    };
    socket.once('close', inTurn(address, begin, 'new'));
  });
};
