// Whether a container's ID is the correct hash. Two kinds of blocks of a real node are not hashed as a whole. A block that a proposer
// wrapped ends with a signature and its length (the signature is empty if none is required), and the ID is the hash of the bytes before
// them. Older C-Chain blocks, from before they were wrapped, have the hash of their header, as in Ethereum.

import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Container } from './container.ts';
import { checksumLength, encodeCb58, sha256 } from './id.ts';
import type { IndexName } from './paths.ts';

/** bytes: not hex, or a wrong checksum · hash: the ID is not the hash of the bytes. */
export interface HashFault {
  readonly kind: 'bytes' | 'hash';
  /** The end of a sentence. Contains no data of the container. */
  readonly detail: string;
}

/** Undefined if both are correct. Accepts bytes without a checksum too, because the interface only says `hex`. */
export const hashFaultOf = (index: IndexName, { id, bytes: text, encoding }: Container): HashFault | undefined => {
  if (encoding !== 'hex') return { kind: 'bytes', detail: 'the encoding is not hex' };
  const bytes = Buffer.from(text.slice(2), 'hex');
  // The decoder stops at the first character that is not hex.
  if (!text.startsWith('0x') || bytes.length * 2 !== text.length - 2) return { kind: 'bytes', detail: 'the bytes are not hex' };
  const body = bytes.subarray(0, Math.max(0, bytes.length - checksumLength));
  const hash = sha256(body);
  const isChecked = hash.subarray(-checksumLength).equals(bytes.subarray(-checksumLength));
  if (isChecked) {
    if (encodeCb58(hash) === id) return undefined;
    return isHashOfPart(index, id, body) ? undefined : { kind: 'hash', detail: 'the id is not the hash of the bytes' };
  }
  const isUnchecked = encodeCb58(sha256(bytes)) === id || isHashOfPart(index, id, bytes);
  return isUnchecked ? undefined : { kind: 'bytes', detail: 'the checksum of the bytes is wrong' };
};

const isHashOfPart = (index: IndexName, id: string, bytes: Buffer): boolean => {
  if (!index.endsWith('/block')) return false;
  if (unsignedParts(bytes).some((part) => encodeCb58(sha256(part)) === id)) return true;
  const header = index === 'C/block' ? headerOf(bytes) : undefined;
  return header !== undefined && encodeCb58(keccak_256(header)) === id;
};

/** There is hardly ever more than one. Each is hashed, and crafted bytes could contain hundreds. */
const maxParts = 4;

/** Maximum bytes of a signature: RSA with 8192 bits. Those of elliptic curves have 72. */
const longestSignature = 1024;
const lengthBytes = 4;

/** The bytes before a possible signature and its length: for each length that matches the end of the bytes. */
const unsignedParts = (bytes: Buffer): readonly Buffer[] => {
  const parts: Buffer[] = [];
  const longest = Math.min(longestSignature, bytes.length - lengthBytes);
  for (let length = 0; length <= longest && parts.length < maxParts; length += 1) {
    const end = bytes.length - lengthBytes - length;
    if (bytes.readUInt32BE(end) === length) parts.push(bytes.subarray(0, end));
  }
  return parts;
};

/** A header has about 600 bytes. Its hash is slow, because the processor has no instructions for it. */
const longestHeader = 4096;

/** The encoded first item of an RLP list, if it is a list. */
const headerOf = (block: Buffer): Buffer | undefined => {
  const list = rlpList(block);
  const header = list === undefined ? undefined : rlpList(block.subarray(list.start));
  if (list === undefined || header === undefined || list.start + header.end > list.end || header.end > longestHeader)
    return undefined;
  return block.subarray(list.start, list.start + header.end);
};

/** Start and end of the content of the list at the beginning of the bytes. */
const rlpList = (bytes: Buffer): { readonly start: number; readonly end: number } | undefined => {
  const first = bytes[0] ?? 0;
  if (first < 0xc0) return undefined;
  const lengthLength = first < 0xf8 ? 0 : first - 0xf7;
  const start = 1 + lengthLength;
  if (lengthLength > 4 || bytes.length < start) return undefined;
  const end = start + (lengthLength === 0 ? first - 0xc0 : bytes.readUIntBE(1, lengthLength));
  return end <= bytes.length ? { start, end } : undefined;
};
