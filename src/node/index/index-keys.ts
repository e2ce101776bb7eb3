// Where in the store an index keeps what: containers by number, numbers by id, and the number after the last.

import type { IndexName } from '../../protocol/paths.ts';

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
