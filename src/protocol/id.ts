// IDs in the interface's encoding, cb58: base58 (Bitcoin's alphabet) of the bytes and a checksum, the last four bytes of their SHA-256.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export const checksumLength = 4;

export const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

const checksum = (bytes: Uint8Array): Buffer => sha256(bytes).subarray(-checksumLength);

/** Appends the checksum. The result is then written as base58 or hex. */
export const withChecksum = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, checksum(bytes)]);

/** The bytes before the checksum. Undefined if it is missing or wrong. */
const withoutChecksum = (checked: Uint8Array): Uint8Array | undefined => {
  if (checked.length < checksumLength) return undefined;
  const bytes = checked.subarray(0, -checksumLength);
  return checksum(bytes).equals(checked.subarray(-checksumLength)) ? bytes : undefined;
};

export const encodeCb58 = (bytes: Uint8Array): string => base58.encode(withChecksum(bytes));

/** The bytes of a cb58 text. Undefined if a character or the checksum is wrong. */
const decodeCb58 = (text: string): Uint8Array | undefined => {
  // Decoding base58 takes quadratic time. No cb58 text of the interface is longer than this.
  if (text.length > 128 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return undefined;
  return withoutChecksum(base58.decode(text));
};

const idLength = 32;

/** The 32 bytes of a container, chain, subnet or VM ID, or undefined if the text is not one. */
export const decodeId = (text: string): Uint8Array | undefined => {
  const bytes = decodeCb58(text);
  return bytes?.length === idLength ? bytes : undefined;
};

const nodeIdLength = 20;

/** `NodeID-` and cb58 of 20 bytes. */
export const encodeNodeId = (bytes: Uint8Array): string => `NodeID-${encodeCb58(bytes)}`;

/** The NodeID that the node uses if a NodeID is missing. */
export const zeroNodeId = 'NodeID-111111111111111111116DBWJs';

/** Whether characters, length and checksum are correct. */
export const isExactNodeId = (text: string): boolean =>
  text.startsWith('NodeID-') && decodeCb58(text.slice('NodeID-'.length))?.length === nodeIdLength;

/** The ID of a container on chains that use the hash of its bytes. */
export const idOf = (bytes: Uint8Array): string => encodeCb58(sha256(bytes));

/** The zero ID: the Primary Network as a subnet, and the node's default for a missing ID parameter. */
export const primaryNetworkId = '11111111111111111111111111111111LpoYY';
