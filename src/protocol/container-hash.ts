// Whether a container's id is the hash that it should be. A real node's blocks are not hashed whole: a block that a proposer
// wrapped ends with a signature and its length, and the id is the hash of what comes before them; the signature is empty where
// nobody need sign. C-Chain blocks of before they were wrapped have the hash of their header, Ethereum's way.

import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Container } from './container.ts';
import { checksumLength, encodeCb58, sha256 } from './id.ts';
import type { IndexName } from './paths.ts';

/** bytes: no hex, or its checksum is wrong · hash: the id is not the hash of the bytes. */
export interface HashFault {
  readonly kind: 'bytes' | 'hash';
  /** One sentence's end, without anything of the container. */
  readonly detail: string;
}

/** What is wrong with the bytes or the id, or nothing. Takes bytes without the checksum too: the interface only says `hex`. */
export const hashFaultOf = (index: IndexName, { id, bytes: text, encoding }: Container): HashFault | undefined => {
  if (encoding !== 'hex') return { kind: 'bytes', detail: 'the encoding is not hex' };
  const bytes = Buffer.from(text.slice(2), 'hex');
  // The decoder stops at the first digit that is none.
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

/** Hardly ever more than one: each is hashed, and whoever made the bytes may have made hundreds. */
const maxParts = 4;

/** Of RSA with 8192 bits; elliptic curves sign in 72. */
const longestSignature = 1024;
const lengthBytes = 4;

/** The bytes before a signature: wherever the last ones could be one and, before it, its length. */
const unsignedParts = (bytes: Buffer): readonly Buffer[] => {
  const parts: Buffer[] = [];
  const longest = Math.min(longestSignature, bytes.length - lengthBytes);
  for (let length = 0; length <= longest && parts.length < maxParts; length += 1) {
    const end = bytes.length - lengthBytes - length;
    if (bytes.readUInt32BE(end) === length) parts.push(bytes.subarray(0, end));
  }
  return parts;
};

/** A header is some 600 bytes long, and its hash is computed without the help of the processor. */
const longestHeader = 4096;

/** The first item of an RLP list, itself a list, as it stands. */
const headerOf = (block: Buffer): Buffer | undefined => {
  const list = rlpList(block);
  const header = list === undefined ? undefined : rlpList(block.subarray(list.start));
  if (list === undefined || header === undefined || list.start + header.end > list.end || header.end > longestHeader)
    return undefined;
  return block.subarray(list.start, list.start + header.end);
};

/** Where the content of the list that these bytes begin with starts and ends. */
const rlpList = (bytes: Buffer): { readonly start: number; readonly end: number } | undefined => {
  const first = bytes[0] ?? 0;
  if (first < 0xc0) return undefined;
  const lengthLength = first < 0xf8 ? 0 : first - 0xf7;
  const start = 1 + lengthLength;
  if (lengthLength > 4 || bytes.length < start) return undefined;
  const end = start + (lengthLength === 0 ? first - 0xc0 : bytes.readUIntBE(1, lengthLength));
  return end <= bytes.length ? { start, end } : undefined;
};
