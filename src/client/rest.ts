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
  /** Why nothing is asked now; without a connection, of a rest that is of none. */
  readonly reason: (connection?: Connection) => Failure | undefined;
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

/** Nodes of an address that may rest before it counts as crowded: each has cost a hundredth of its rest. */
export const maxOfAddress = 20;

/** Nodes of which is remembered that they have answered. */
const maxAnswered = 4096;

export interface NodeRest extends Rest {
  /** An address of it at which so many others rest that a node which has not answered before is not asked. */
  readonly crowded: () => string | undefined;
  /** It has answered. */
  readonly answered: () => void;
}

/** Of nodes that have a new client for each poll; gives that of a node. One address may have any number of names. */
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
        const rest = createRest(now);
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

/** For this one as the newest; the oldest goes where there are too many. */
const makeRoom = (known: Map<string, unknown> | Set<string>, node: string, most: number): void => {
  known.delete(node);
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= most) known.delete(oldest);
};
