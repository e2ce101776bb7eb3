// Remembers which IDs were seen before, and at which number: at least the last million of them, in bounded memory.

import { hash } from 'node:crypto';

/** Returns the number at which this ID was probably seen before. Only a hash of each ID is kept. */
type SeenBefore = (id: string, number: bigint) => bigint | undefined;

/** 64 bits of a hash of each ID, and its number plus one. 0 is a free slot. */
interface Table {
  readonly marks: BigUint64Array;
  readonly numbers: Uint32Array;
}

/** 24 MiB per table. */
const maxSlots = 2 ** 21;

/** Stores numbers relative to `base`. Remembers at least the last `slots / 2` IDs. */
export const seenIds = (base: bigint, slots = maxSlots): SeenBefore => {
  const free = (): Table => ({ marks: new BigUint64Array(slots), numbers: new Uint32Array(slots) });
  let [table, before] = [free(), free()];
  let count = 0;
  return (id, number) => {
    const mark = hash('sha1', id, 'buffer').readBigUInt64LE();
    const own = Number(BigInt.asUintN(32, number - base)) + 1;
    const known = table.numbers[slotOf(table, mark)] || before.numbers[slotOf(before, mark)];
    if (known) return known === own ? undefined : base + BigInt(known - 1);
    // Starts a new table when half of this one is used.
    if (count * 2 >= slots) [table, before, count] = [free(), table, 0];
    const slot = slotOf(table, mark);
    table.marks[slot] = mark;
    table.numbers[slot] = own;
    count += 1;
    return undefined;
  };
};

/** The slot of the hash, or the free slot for it. */
const slotOf = ({ marks, numbers }: Table, mark: bigint): number => {
  let slot = Number(mark % BigInt(marks.length));
  while (numbers[slot] !== 0 && marks[slot] !== mark) slot = (slot + 1) % marks.length;
  return slot;
};
