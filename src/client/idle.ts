// Notices when the node closes an idle kept-alive connection: the first sign that its process has ended.

import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** Sockets closed on this side. No event tells them apart: Node 22 and later destroy a socket before an event says that the peer closed it. */
const closedHere = new WeakSet<Duplex>();

/** Sockets that are closed after their current response, in place of being kept alive. */
const retired = new WeakSet<Duplex>();

/** `onClosed` is called once per connection that the node closes, and not for those that `endIdle` or the agent's timeout close. */
export const watchIdle = <A extends Agent>(agent: A, onClosed: () => void): A => {
  const listeners = new WeakMap<Duplex, { readonly [event in 'close' | 'timeout' | 'data']: () => void }>();
  const { keepSocketAlive, reuseSocket } = agent;

  agent.keepSocketAlive = (socket) => {
    // False if the node does not keep the connection alive; the types of Node.js say void.
    const kept: unknown = keepSocketAlive.call(agent, socket);
    if (kept === false) return kept;
    const close = (): void => {
      if (!closedHere.has(socket)) onClosed();
    };
    // The agent closes the connection after its timeout.
    const timeout = (): void => {
      closedHere.add(socket);
    };
    // Unrequested data closes the connection. Node.js 22 does this itself; earlier versions would read and discard gigabytes a second.
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
  // Before the listener of the agent, which gives the socket to a request that waits for one.
  agent.prependListener('free', (socket: Duplex) => {
    if (retired.has(socket)) closeHere(socket);
  });
  return agent;
};

const closeHere = (socket: Duplex): void => {
  closedHere.add(socket);
  socket.destroy();
};

export const endIdle = (agent: Agent): void => {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) closeHere(socket);
};

/** Closes the idle connections, and each of the others after its current response: the next request gets a new one. */
export const retireAll = (agent: Agent): void => {
  endIdle(agent);
  for (const sockets of Object.values(agent.sockets)) for (const socket of sockets ?? []) retired.add(socket);
};
