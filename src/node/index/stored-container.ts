// Storage format of an index: containers by number, numbers by id, and the number after the last. A container is a line of id
// and timestamp, followed by its bytes and their checksum.

import { idOf, withChecksum } from '../../protocol/id.ts';
import type { IndexName } from '../../protocol/paths.ts';

export interface AcceptedContainer {
  /** cb58 */
  readonly id: string;
  readonly bytes: Uint8Array;
}

interface StoredContainer {
  readonly id: string;
  /** RFC 3339 time at which this node accepted it. */
  readonly timestamp: string;
  /** The bytes with their checksum, as in the encoding `hex`. */
  readonly checked: Buffer;
}

export interface NumberedContainer extends StoredContainer {
  readonly number: number;
}

/** A container whose id is the hash of its bytes. */
export const hashedContainer = (bytes: Uint8Array): AcceptedContainer => ({ id: idOf(bytes), bytes });

export const packContainer = ({ id, bytes }: AcceptedContainer, timestamp: string): Buffer =>
  Buffer.concat([Buffer.from(`${id} ${timestamp}\n`), withChecksum(bytes)]);

/** Reads what packContainer wrote; undefined if it is not that. */
export const unpackContainer = (packed: Buffer | undefined): StoredContainer | undefined => {
  const end = packed?.indexOf('\n') ?? -1;
  if (packed === undefined || end === -1) return undefined;
  const [id, timestamp] = packed.toString('latin1', 0, end).split(' ');
  if (id === undefined || timestamp === undefined) return undefined;
  return { id, timestamp, checked: packed.subarray(end + 1) };
};

const digits = 16;

/** Keys sort by their number. */
export const containerKey = (name: IndexName, number: number): string => `n:${name}:${number.toString().padStart(digits, '0')}`;
export const idKey = (name: IndexName, id: string): string => `i:${name}:${id}`;
export const endKey = (name: IndexName): string => `e:${name}`;

export const packNumber = (number: number): Buffer => {
  const packed = Buffer.alloc(8);
  packed.writeBigUInt64BE(BigInt(number));
  return packed;
};

export const readNumber = (packed: Buffer | undefined): number | undefined =>
  packed?.length === 8 ? Number(packed.readBigUInt64BE()) : undefined;
