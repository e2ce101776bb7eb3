// Ids as the interface writes them: cb58, that is base58 (Bitcoin's alphabet) of the bytes and the last four bytes of their
// SHA-256.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export const checksumLength = 4;

export const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

const checksum = (bytes: Uint8Array): Buffer => sha256(bytes).subarray(-checksumLength);

/** As base58 or hex then writes them. */
export const withChecksum = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, checksum(bytes)]);

/** The bytes before the checksum; undefined where it is missing or not theirs. */
const withoutChecksum = (checked: Uint8Array): Uint8Array | undefined => {
  if (checked.length < checksumLength) return undefined;
  const bytes = checked.subarray(0, -checksumLength);
  return checksum(bytes).equals(checked.subarray(-checksumLength)) ? bytes : undefined;
};

export const encodeCb58 = (bytes: Uint8Array): string => base58.encode(withChecksum(bytes));

/** The bytes of a cb58 string, or undefined where the alphabet or the checksum is not kept. */
const decodeCb58 = (text: string): Uint8Array | undefined => {
  // Base58 takes time quadratic in its length: nothing that the interface writes so is longer.
  if (text.length > 128 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return undefined;
  return withoutChecksum(base58.decode(text));
};

const idLength = 32;

/** The 32 bytes of a container, chain, subnet or VM id, or undefined when the text is not one. */
export const decodeId = (text: string): Uint8Array | undefined => {
  const bytes = decodeCb58(text);
  return bytes?.length === idLength ? bytes : undefined;
};

const nodeIdLength = 20;

/** `NodeID-` and cb58 of 20 bytes. */
export const encodeNodeId = (bytes: Uint8Array): string => `NodeID-${encodeCb58(bytes)}`;

/** What the node takes a missing NodeID for. */
export const zeroNodeId = 'NodeID-111111111111111111116DBWJs';

/** Whether alphabet, length and checksum are right. */
export const isExactNodeId = (text: string): boolean =>
  text.startsWith('NodeID-') && decodeCb58(text.slice('NodeID-'.length))?.length === nodeIdLength;

/** A container's id on chains where it is the hash of its bytes. */
export const idOf = (bytes: Uint8Array): string => encodeCb58(sha256(bytes));

/** The zero id: the primary network as a subnet, and what the node takes a missing id parameter for. */
export const primaryNetworkId = '11111111111111111111111111111111LpoYY';
