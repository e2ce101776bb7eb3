// For how long a node is left alone that costs much before it has answered: each question would cost as much again.

import type { Connection } from './connections.ts';
import type { Failure } from './outcome.ts';

/** A rest takes no longer. */
const maxRestMs = 30_000;
/** Nodes that are remembered: of more, the one that began to rest first is asked again. */
const maxNodes = 1000;

export interface Rest {
  /** `of`: only as long as that is the connection, whose certificates may change. */
  readonly begin: (failure: Failure, forMs?: number, of?: Connection) => void;
  /** Why nothing is asked now. */
  readonly reason: (connection: Connection) => Failure | undefined;
}

/** Milliseconds, steady clock. */
type Now = () => number;

export const createRest = (now: Now = () => performance.now()): Rest => {
  let rest: { readonly failure: Failure; readonly until: number; readonly of: Connection | undefined } | undefined;
  return {
    begin: (failure, forMs = maxRestMs, of = undefined) => {
      rest = { failure, until: now() + Math.min(forMs, maxRestMs), of };
    },
    reason: (connection) => {
      if (rest === undefined || now() >= rest.until || (rest.of ?? connection) !== connection) return undefined;
      return { ...rest.failure };
    },
  };
};

/** Of nodes that have a new client for each poll; gives that of a node. */
export const createRests = (now?: Now): ((node: string) => Rest) => {
  const rests = new Map<string, Rest>();
  return (node) => ({
    begin: (failure, forMs) => {
      const rest = createRest(now);
      rest.begin(failure, forMs);
      rests.delete(node);
      const [oldest] = rests.keys();
      if (oldest !== undefined && rests.size >= maxNodes) rests.delete(oldest);
      rests.set(node, rest);
    },
    reason: (connection) => {
      const found = rests.get(node)?.reason(connection);
      if (found === undefined) rests.delete(node);
      return found;
    },
  });
};
