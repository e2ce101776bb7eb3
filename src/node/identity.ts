// Who the node and the network's validators are: ids made from the seed.

import { encodeCb58, sha256 } from '../protocol/id.ts';

const nodeIdLength = 20;

const nodeIdFrom = (text: string): string => `NodeID-${encodeCb58(sha256(text).subarray(0, nodeIdLength))}`;

export const nodeIdOf = (seed: number): string => nodeIdFrom(`node/${seed}`);

/** The ids from one validator's on. Made when asked for: a network may have thousands, and they are seldom listed. */
export type ValidatorIds = (from: number) => readonly string[];

export const validatorIds = (seed: number, count: number): ValidatorIds => {
  const known: string[] = [];
  return (from) => {
    for (let at = known.length; from < count && at < count; at += 1) known.push(nodeIdFrom(`validator/${seed}/${at}`));
    return known.slice(from);
  };
};
