// What a container's bytes say of its id.

import { createHash } from 'node:crypto';
import type { Container } from './container.ts';
import { decodeId } from './id.ts';

/**
 * hash: the id is the hash of the bytes · not-hash: it is not, as on the C-Chain before its blocks were wrapped ·
 * unreadable: the bytes are no hex, or their checksum is wrong
 */
export type IdOfBytes = 'hash' | 'not-hash' | 'unreadable';

const hex = /^0x(?:[0-9a-fA-F]{2})*$/;
const checksumLength = 4;

/** A signature is the last member of a block: its length in 32 bits, and then itself. Those of RSA-4096 have 512 bytes. */
const lengthLength = 4;
const longestSignature = 1024;

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * The interface says neither what an id is nor that `hex` ends in a checksum. Seen on a real node: the id is the SHA-256 of the
 * bytes, and of a block that may be signed the SHA-256 of what stands before the signature, be it of no length.
 */
export const idOfBytes = ({ id, bytes: text }: Pick<Container, 'id' | 'bytes'>): IdOfBytes => {
  if (!hex.test(text)) return 'unreadable';
  const written = Buffer.from(text.slice(2), 'hex');
  const hash = decodeId(id);
  const bytes = withoutChecksum(written);
  if (bytes === undefined) return hash !== undefined && sha256(written).equals(hash) ? 'hash' : 'unreadable';
  if (hash === undefined) return 'not-hash';
  return sha256(bytes).equals(hash) || unsigned(bytes).some((part) => sha256(part).equals(hash)) ? 'hash' : 'not-hash';
};

const withoutChecksum = (written: Buffer): Buffer | undefined => {
  if (written.length < checksumLength) return undefined;
  const bytes = written.subarray(0, -checksumLength);
  return sha256(bytes).subarray(-checksumLength).equals(written.subarray(-checksumLength)) ? bytes : undefined;
};

/** What stands before the signature, for every end of the bytes that can be one: of any format of a block, known or to come. */
const unsigned = (bytes: Buffer): readonly Buffer[] => {
  const parts: Buffer[] = [];
  const longest = Math.min(longestSignature, bytes.length - lengthLength);
  for (let length = 0; length <= longest; length += 1) {
    const end = bytes.length - lengthLength - length;
    if (bytes.readUInt32BE(end) === length) parts.push(bytes.subarray(0, end));
  }
  return parts;
};
