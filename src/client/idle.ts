// Tells when the other side ends a kept-alive connection that carries no request: the first sign of a process that is gone.

import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * `onClosed` is called once for each such connection. Not for those that we end ourselves: whoever is closed by the other side
 * has read its end or met an error before.
 */
export const watchIdle = <A extends Agent>(agent: A, onClosed: () => void): A => {
  const listeners = new WeakMap<Duplex, (hadError: boolean) => void>();
  const { keepSocketAlive, reuseSocket } = agent;

  agent.keepSocketAlive = (socket) => {
    const kept = keepSocketAlive.call(agent, socket);
    const listener = (hadError: boolean): void => {
      if (hadError || socket.readableEnded) onClosed();
    };
    listeners.set(socket, listener);
    socket.once('close', listener);
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    const listener = listeners.get(socket);
    if (listener !== undefined) socket.off('close', listener);
    reuseSocket.call(agent, socket, request);
  };
  return agent;
};
