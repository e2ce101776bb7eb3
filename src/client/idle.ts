// Tells when the other side ends a kept-alive connection that carries no request: the first sign of a process that is gone.

import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** Of connections that we end ourselves. Node 22 and later destroy one that the other side ends before any stream event tells it. */
const ours = new WeakSet<Duplex>();

/** `onClosed` is called once for each such connection, and not for those that end by `endIdle` or by the agent's own timeout. */
export const watchIdle = <A extends Agent>(agent: A, onClosed: () => void): A => {
  const listeners = new WeakMap<Duplex, { readonly [event in 'close' | 'timeout' | 'data']: () => void }>();
  const { keepSocketAlive, reuseSocket } = agent;

  agent.keepSocketAlive = (socket) => {
    // False where the other side does not keep it; the types of Node say void.
    const kept: unknown = keepSocketAlive.call(agent, socket);
    if (kept === false) return kept;
    const close = (): void => {
      if (!ours.has(socket)) onClosed();
    };
    // Then the agent ends it.
    const timeout = (): void => {
      ours.add(socket);
    };
    // What nobody asked for ends it, as Node.js 22 does itself: before, it reads and forgets gigabytes a second.
    const data = (): void => void socket.destroy();
    listeners.set(socket, { close, timeout, data });
    socket.once('close', close).once('timeout', timeout).once('data', data);
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    const known = listeners.get(socket);
    if (known !== undefined) socket.off('close', known.close).off('timeout', known.timeout).off('data', known.data);
    reuseSocket.call(agent, socket, request);
  };
  return agent;
};

export const endIdle = (agent: Agent): void => {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) {
      ours.add(socket);
      socket.destroy();
    }
  }
};
