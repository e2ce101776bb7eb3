// Where in the store an index keeps what: containers by number (alone, or in runs), numbers by id, and the number after the last.

import type { IndexName } from '../../protocol/paths.ts';

/** A table of numbered keys: containers that stand alone. */
export const numbersTable = (name: IndexName): string => `n:${name}`;
/** A table of numbered keys: containers in runs (by-number.ts). */
export const runsTable = (name: IndexName): string => `r:${name}`;
export const idKey = (name: IndexName, id: string): string => `i:${name}:${id}`;
export const endKey = (name: IndexName): string => `e:${name}`;

export const packNumber = (number: number): Buffer => {
  const packed = Buffer.allocUnsafe(8);
  packed.writeBigUInt64BE(BigInt(number));
  return packed;
};

export const readNumber = (packed: Buffer | undefined): number | undefined =>
  packed?.length === 8 ? Number(packed.readBigUInt64BE()) : undefined;
