// For how long each address of a name is tried before the next. Node.js gives each but the last 250 ms, after which a node behind a slow
// link would never be reached: where no address took the connection, the next one gives each of them more.

import type { Agent } from 'node:http';
import { Socket } from 'node:net';

/** `longestMs`: what it then gives each but the last. */
export const patient = <A extends Agent>(agent: A, longestMs: number): A => {
  const { createConnection } = agent;
  let isPatient = false;
  agent.createConnection = (options, callback) => {
    const wasPatient = isPatient;
    const given = wasPatient ? { ...options, autoSelectFamilyAttemptTimeout: Math.max(1, Math.floor(longestMs)) } : options;
    const socket = createConnection.call(agent, given, callback);
    if (!(socket instanceof Socket)) return socket;
    socket.once('connectionAttemptTimeout', () => {
      // By turns: of many addresses a later one is only reached in time where those before it are given up soon.
      isPatient = !wasPatient;
      // It waited behind one that is gone.
      socket.once('connect', () => {
        isPatient = false;
      });
    });
    return socket;
  };
  return agent;
};
