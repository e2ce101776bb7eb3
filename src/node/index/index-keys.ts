// Where in the store an index keeps what: containers by number, numbers by id, and the number after the last.

import type { IndexName } from '../../protocol/paths.ts';

/** A table of numbered keys. */
export const numbersTable = (name: IndexName): string => `n:${name}`;
export const idKey = (name: IndexName, id: string): string => `i:${name}:${id}`;
export const endKey = (name: IndexName): string => `e:${name}`;

export const packNumber = (number: number): Buffer => {
  const packed = Buffer.allocUnsafe(8);
  packed.writeBigUInt64BE(BigInt(number));
  return packed;
};

export const readNumber = (packed: Buffer | undefined): number | undefined =>
  packed?.length === 8 ? Number(packed.readBigUInt64BE()) : undefined;
