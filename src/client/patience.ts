// Adapts the time for which each address of a name is tried. Node.js gives every address but the last 250 ms, so a node behind a slow link
// could never be reached. After attempts that timed out, the next connection gives each address more time.

import type { Agent } from 'node:http';
import { Socket } from 'node:net';

/** `longTimeoutMs`: the longer time for every address but the last. */
export const adaptAttemptTimeout = <A extends Agent>(agent: A, longTimeoutMs: number): A => {
  const { createConnection } = agent;
  let isLong = false;
  agent.createConnection = (options, callback) => {
    const wasLong = isLong;
    const given = wasLong ? { ...options, autoSelectFamilyAttemptTimeout: Math.max(1, Math.floor(longTimeoutMs)) } : options;
    const socket = createConnection.call(agent, given, callback);
    if (!(socket instanceof Socket)) return socket;
    socket.once('connectionAttemptTimeout', () => {
      // Short and long alternate: one of many addresses is reached in time only if the ones before it time out soon.
      isLong = !wasLong;
      // A later address accepted the connection: the one that timed out is down, not slow.
      socket.once('connect', () => {
        isLong = false;
      });
    });
    return socket;
  };
  return agent;
};
