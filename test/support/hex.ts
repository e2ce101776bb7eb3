// The interface's `hex` encoding: `0x`, the bytes, and the last four bytes of their SHA-256.

import { withChecksum } from '../../src/protocol/id.ts';

export const encodeHex = (bytes: Uint8Array): string => `0x${withChecksum(bytes).toString('hex')}`;

/** The bytes of a `hex` string, checksum verified; undefined when it is not one. */
export const decodeHex = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text.slice(2, -8), 'hex');
  return encodeHex(bytes) === text.toLowerCase() ? bytes : undefined;
};
