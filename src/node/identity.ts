// Who the node and the network's validators are: ids made from the seed.

import { encodeCb58, sha256 } from '../protocol/id.ts';

/** A node id has 20 bytes. */
const nodeIdFrom = (text: string): string => `NodeID-${encodeCb58(sha256(text).subarray(0, 20))}`;

export const nodeIdOf = (seed: number): string => nodeIdFrom(`node/${seed}`);

/** Made when first asked for: a network may have thousands, and they are seldom listed. */
export const validatorIds = (seed: number, count: number): (() => readonly string[]) => {
  let ids: readonly string[] | undefined;
  return () => {
    ids ??= Array.from({ length: count }, (_, at) => nodeIdFrom(`validator/${seed}/${at}`));
    return ids;
  };
};
