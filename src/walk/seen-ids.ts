// Which ids were seen before, and under which number: a bounded memory of the last million or two of them.

/** Slots of a table: a mark of 64 bits of the id, and its number plus one; 0 is free. */
interface Table {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly numbers: Uint32Array;
}

interface Mark {
  readonly low: number;
  readonly high: number;
}

/** The number under which this id was seen before, as it seems: only a mark of each is kept. */
export type SeenBefore = (id: string, number: bigint) => bigint | undefined;

const tableOf = (slots: number): Table => ({
  low: new Uint32Array(slots),
  high: new Uint32Array(slots),
  numbers: new Uint32Array(slots),
});

const firstSlots = 2 ** 12;

/** A table is replaced when half of it is used: 24 MiB, and as much again for the one before it. */
const maxSlots = 2 ** 21;

/** Numbers are counted from `base`. `slots` is a power of two. At least `slots / 2` ids are remembered. */
export const seenIds = (base: bigint, slots = maxSlots): SeenBefore => {
  let table = tableOf(Math.min(firstSlots, slots));
  let before: Table | undefined;
  let count = 0;

  const makeRoom = (): void => {
    if (count * 2 < table.numbers.length) return;
    if (table.numbers.length < slots) {
      table = doubled(table);
      return;
    }
    before = table;
    table = tableOf(table.numbers.length);
    count = 0;
  };

  return (id, number) => {
    const mark = markOf(id);
    const own = Number(BigInt.asUintN(32, number - base)) + 1;
    const known = find(table, mark) ?? (before && find(before, mark));
    if (known !== undefined) return known === own ? undefined : base + BigInt(known - 1);
    makeRoom();
    put(table, mark, own);
    count += 1;
    return undefined;
  };
};

const doubled = (table: Table): Table => {
  const larger = tableOf(table.numbers.length * 2);
  for (const [slot, number] of table.numbers.entries())
    if (number !== 0) put(larger, { low: table.low[slot] ?? 0, high: table.high[slot] ?? 0 }, number);
  return larger;
};

const find = ({ low, high, numbers }: Table, mark: Mark): number | undefined => {
  for (let slot = mark.low % numbers.length; numbers[slot] !== 0; slot = (slot + 1) % numbers.length)
    if (low[slot] === mark.low && high[slot] === mark.high) return numbers[slot];
  return undefined;
};

const put = ({ low, high, numbers }: Table, mark: Mark, number: number): void => {
  let slot = mark.low % numbers.length;
  while (numbers[slot] !== 0) slot = (slot + 1) % numbers.length;
  low[slot] = mark.low;
  high[slot] = mark.high;
  numbers[slot] = number;
};

/** Two hashes of Fowler, Noll and Vo that differ in their start and in their factor, stirred. */
const markOf = (id: string): Mark => {
  let low = 0x811c9dc5;
  let high = 0x2f0b4f47;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return { low: Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) >>> 0, high: (high ^ (high >>> 13)) >>> 0 };
};
