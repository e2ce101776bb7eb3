// Which ids were seen before, and under which number: a bounded memory of the last million or two of them.

import { hash } from 'node:crypto';

/** The number under which this id was seen before, as it seems: only a mark of each is kept. */
export type SeenBefore = (id: string, number: bigint) => bigint | undefined;

/** 64 bits of a hash of each id, and its number plus one; 0 is free. */
interface Table {
  readonly marks: BigUint64Array;
  readonly numbers: Uint32Array;
}

/** 24 MiB. */
const maxSlots = 2 ** 21;

/** Numbers are counted from `base`. At least `slots / 2` ids are remembered. */
export const seenIds = (base: bigint, slots = maxSlots): SeenBefore => {
  const free = (): Table => ({ marks: new BigUint64Array(slots), numbers: new Uint32Array(slots) });
  let [table, before] = [free(), free()];
  let count = 0;
  return (id, number) => {
    const mark = hash('sha1', id, 'buffer').readBigUInt64LE();
    const own = Number(BigInt.asUintN(32, number - base)) + 1;
    const known = table.numbers[slotOf(table, mark)] || before.numbers[slotOf(before, mark)];
    if (known) return known === own ? undefined : base + BigInt(known - 1);
    // A table is replaced when half of it is used.
    if (count * 2 >= slots) [table, before, count] = [free(), table, 0];
    const slot = slotOf(table, mark);
    table.marks[slot] = mark;
    table.numbers[slot] = own;
    count += 1;
    return undefined;
  };
};

/** Where the mark stands, or would. */
const slotOf = ({ marks, numbers }: Table, mark: bigint): number => {
  let slot = Number(mark % BigInt(marks.length));
  while (numbers[slot] !== 0 && marks[slot] !== mark) slot = (slot + 1) % marks.length;
  return slot;
};
