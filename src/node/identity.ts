// Who the node and the network's validators are: ids made from the seed.

import { encodeNodeId, sha256 } from '../protocol/id.ts';
import { type ActiveFault, faultsOf } from './scenario.ts';

/** A node id has 20 bytes. */
const nodeIdFrom = (text: string): string => encodeNodeId(sha256(text).subarray(0, 20));

/** A BLS key and its proof of possession: of their lengths, and of no use. */
export const proofOf = (nodeId: string): { readonly publicKey: string; readonly proofOfPossession: string } => {
  const bytes = (what: string, length: number): string =>
    `0x${Array.from({ length: Math.ceil(length / 32) }, (_, at) => sha256(`${what}/${nodeId}/${at}`).toString('hex'))
      .join('')
      .slice(0, 2 * length)}`;
  return { publicKey: bytes('key', 48), proofOfPossession: bytes('proof', 96) };
};

/** A peer that is no validator. */
export const peerIdAt = (at: number): string => nodeIdFrom(`peer/${at}`);

export const nodeIdOf = (seed: number): string => nodeIdFrom(`node/${seed}`);

/** Made when first asked for: a network may have thousands, and they are seldom listed. */
export const validatorIds = (seed: number, count: number): (() => readonly string[]) => {
  let ids: readonly string[] | undefined;
  return () => {
    ids ??= Array.from({ length: count }, (_, at) => nodeIdFrom(`validator/${seed}/${at}`));
    return ids;
  };
};

/** The node's own, unless its staking key is replaced: by one of nobody, or by that of the node with another seed. */
export const idAmong = (faults: readonly ActiveFault[], seed: number): string => {
  const [fault] = faultsOf(faults, 'key-replaced');
  if (fault === undefined) return nodeIdOf(seed);
  return fault.seed === undefined ? nodeIdFrom(`node/${seed}/replaced`) : nodeIdOf(fault.seed);
};
