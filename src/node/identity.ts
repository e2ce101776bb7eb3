// Node ids of this node and the network's validators, derived from the seed.

import { encodeNodeId, sha256 } from '../protocol/id.ts';
import { type ActiveFault, faultsOf } from './scenario.ts';

/** A node id has 20 bytes. */
const nodeIdFrom = (text: string): string => encodeNodeId(sha256(text).subarray(0, 20));

/** BLS key and proof of possession: right in length, but not valid. */
export const proofOf = (nodeId: string): { readonly publicKey: string; readonly proofOfPossession: string } => {
  const bytes = (what: string, length: number): string =>
    `0x${Array.from({ length: Math.ceil(length / 32) }, (_, at) => sha256(`${what}/${nodeId}/${at}`).toString('hex'))
      .join('')
      .slice(0, 2 * length)}`;
  return { publicKey: bytes('key', 48), proofOfPossession: bytes('proof', 96) };
};

/** Node id of a peer that is not a validator. */
export const peerIdAt = (at: number): string => nodeIdFrom(`peer/${at}`);

export const nodeIdOf = (seed: number): string => nodeIdFrom(`node/${seed}`);

export const validatorIds = (seed: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => nodeIdFrom(`validator/${seed}/${at}`));

/** The node's own id, unless its staking key is replaced: by an unknown one, or by that of the node with another seed. */
export const idAmong = (faults: readonly ActiveFault[], seed: number): string => {
  const [fault] = faultsOf(faults, 'key-replaced');
  if (fault === undefined) return nodeIdOf(seed);
  return fault.seed === undefined ? nodeIdFrom(`node/${seed}/replaced`) : nodeIdOf(fault.seed);
};
