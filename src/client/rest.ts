// Pauses requests to a node if a connection or response was expensive and useless, such as a flood: each request would cost as much again.

import type { Connection } from './connections.ts';
import type { Failure } from './outcome.ts';

/** The longest pause. */
const maxRestMs = 30_000;
/** Nodes with a pause that are remembered. Above this number, the oldest pause ends. */
const maxNodes = 1000;

export interface Rest {
  /** `of`: limits the pause to this connection, which is replaced when its certificate files change. */
  readonly begin: (failure: Failure, forMs?: number, of?: Connection) => void;
  /** The failure that caused the current pause. A pause that is limited to a connection counts only for that connection. */
  readonly reason: (connection?: Connection) => Failure | undefined;
}

/** Milliseconds, steady clock. */
type Now = () => number;

export const createRest = (now: Now = () => performance.now()): Rest => {
  let rest: { readonly failure: Failure; readonly until: number; readonly of: Connection | undefined } | undefined;
  return {
    begin: (failure, forMs = maxRestMs, of = undefined) => {
      const until = now() + Math.min(forMs, maxRestMs);
      // Of several requests to a node, one may cause a long pause of the node, and then another a short one.
      if (rest !== undefined && rest.of === undefined && rest.until > until) return;
      rest = { failure, until, of };
    },
    reason: (connection) => {
      if (rest === undefined || now() >= rest.until || (rest.of ?? connection) !== connection) return undefined;
      return { ...rest.failure };
    },
  };
};

/** An address with this many paused nodes is crowded. The cost of a paused node was a hundredth of its pause. */
export const maxOfAddress = 20;

/** Nodes that are remembered as having responded. */
const maxAnswered = 4096;

export interface NodeRest extends Rest {
  /** An address of the node at which so many others are paused that a node without an earlier response gets no requests. */
  readonly crowded: () => string | undefined;
  /** Records that the node has responded. */
  readonly answered: () => void;
}

/** For nodes that get a new client for each poll: returns the pause of a node by its name. One address may have any number of names. */
export const createRests = (now?: Now): ((node: string, addresses?: readonly string[]) => NodeRest) => {
  const rests = new Map<string, { readonly rest: Rest; readonly addresses: readonly string[] }>();
  const answered = new Set<string>();
  const restingAt = (address: string): number => {
    let count = 0;
    for (const { rest, addresses } of rests.values()) if (addresses.includes(address) && rest.reason() !== undefined) count += 1;
    return count;
  };
  return (node, addresses = []) => {
    const resting = (): Failure | undefined => {
      const found = rests.get(node)?.rest.reason();
      if (found === undefined) rests.delete(node);
      return found;
    };
    return {
      begin: (failure, forMs) => {
        answered.delete(node);
        const rest = rests.get(node)?.rest ?? createRest(now);
        rest.begin(failure, forMs);
        makeRoom(rests, node, maxNodes);
        rests.set(node, { rest, addresses });
      },
      reason: resting,
      crowded: () => {
        if (answered.has(node) || resting() !== undefined) return undefined;
        return addresses.find((address) => restingAt(address) >= maxOfAddress);
      },
      answered: () => {
        if (resting() !== undefined) return;
        makeRoom(answered, node, maxAnswered);
        answered.add(node);
      },
    };
  };
};

/** Makes room for the node as the newest entry: deletes the oldest one if there are too many. */
const makeRoom = (known: Map<string, unknown> | Set<string>, node: string, maxSize: number): void => {
  known.delete(node);
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= maxSize) known.delete(oldest);
};
