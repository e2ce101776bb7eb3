// How far a request got: for the message of a timeout, and the duration of a TLS handshake.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { RequestPhase } from './outcome.ts';

export interface FollowedPhase {
  /** How far the request got. */
  readonly phase: () => RequestPhase;
  /** Milliseconds since the start of a TLS handshake that has not succeeded; undefined if there is none. */
  readonly handshakeMs: () => number | undefined;
}

/** `isNamed`: the host is a name, which is resolved first. */
export const followPhase = (request: EventEmitter, isNamed: boolean): FollowedPhase => {
  let phase: RequestPhase = isNamed ? 'lookup' : 'connect';
  let since = performance.now();
  const enter = (next: RequestPhase) => (): void => {
    phase = next;
    since = performance.now();
  };
  request.once('socket', (socket: Socket) => {
    if (!socket.connecting) phase = 'response';
    else {
      socket.once('lookup', enter('connect'));
      socket.once('connect', enter(socket instanceof TLSSocket ? 'handshake' : 'response'));
      socket.once('secureConnect', enter('response'));
    }
  });
  request.once('response', enter('body'));
  return {
    phase: () => phase,
    handshakeMs: () => (phase === 'handshake' ? performance.now() - since : undefined),
  };
};
