// The API's `hex` encoding: `0x`, the bytes, and the last four bytes of their SHA-256.

import { withChecksum } from '../../src/protocol/id.ts';

export const encodeHex = (bytes: Uint8Array): string => `0x${withChecksum(bytes).toString('hex')}`;

/** Decodes a `hex` string and verifies its checksum; undefined if it is invalid. */
export const decodeHex = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text.slice(2, -8), 'hex');
  return encodeHex(bytes) === text.toLowerCase() ? bytes : undefined;
};
