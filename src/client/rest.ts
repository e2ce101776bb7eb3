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
export const createRests = (now: Now = () => performance.now()): ((node: string, addresses?: readonly string[]) => NodeRest) => {
  const rests = new Map<string, { readonly failure: Failure; readonly until: number; readonly addresses: readonly string[] }>();
  const answered = new Set<string>();
  const restingAt = (address: string): number => {
    let count = 0;
    for (const { until, addresses } of rests.values()) if (now() < until && addresses.includes(address)) count += 1;
    return count;
  };
  return (node, addresses = []) => {
    const resting = (): Failure | undefined => {
      const found = rests.get(node);
      if (found !== undefined && now() < found.until) return { ...found.failure };
      rests.delete(node);
      return undefined;
    };
    return {
      begin: (failure, forMs = maxRestMs) => {
        answered.delete(node);
        rests.delete(node);
        const [oldest] = rests.keys();
        if (oldest !== undefined && rests.size >= maxNodes) rests.delete(oldest);
        rests.set(node, { failure, until: now() + Math.min(forMs, maxRestMs), addresses });
      },
      reason: resting,
      crowded: () => {
        if (answered.has(node) || resting() !== undefined) return undefined;
        return addresses.find((address) => restingAt(address) >= maxOfAddress);
      },
      answered: () => {
        if (resting() !== undefined) return;
        answered.delete(node);
        const [oldest] = answered;
        if (oldest !== undefined && answered.size >= maxAnswered) answered.delete(oldest);
        answered.add(node);
      },
    };
  };
};
