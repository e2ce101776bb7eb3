// Containers by their number. The newest stand alone, as they were accepted; as soon as `runLength` of them are there they are
// one value, because LevelDB takes as long for a range as it has values. A container moves into its run in the write that
// completes the run: it is never in neither.

import type { IndexName } from '../../protocol/paths.ts';
import { numbersTable, runsTable } from './index-keys.ts';
import { type Change, numberedKey, type Store } from './store.ts';
import { numberOf, type Packed } from './stored-container.ts';

/**
 * Run k holds the containers from k * runLength on. Of a static answer's speed a range of 1024 has 0.57 with 64 and 0.53 with 32;
 * who asks for one container reads its run, and that adds 0.02 ms to 0.11 with 64, half of it with 32.
 */
export const runLength = 64;

const runOf = (number: number): number => Math.floor(number / runLength);

/** Where to read. `size`: how many containers the index has. */
export interface Numbered {
  readonly store: Store;
  readonly name: IndexName;
  readonly size: number;
}

/** Packed containers, with where each ends in front of them: how many (4 bytes), the ends (4 each). */
export const packRun = (containers: readonly Buffer[]): Buffer => {
  const head = Buffer.allocUnsafe(4 + 4 * containers.length);
  head.writeUInt32BE(containers.length);
  let end = head.length;
  for (const [at, { length }] of containers.entries()) {
    end += length;
    head.writeUInt32BE(end, 4 + 4 * at);
  }
  return Buffer.concat([head, ...containers], end);
};

/** Reads what packRun wrote; nothing where it is not that. */
export const unpackRun = (memory: Buffer | undefined): readonly Packed[] => {
  if (memory === undefined || memory.length < 4) return [];
  const count = memory.readUInt32BE();
  const containers: Packed[] = [];
  let start = 4 + 4 * count;
  if (start > memory.length) return [];
  for (let at = 0; at < count; at += 1) {
    const end = memory.readUInt32BE(4 + 4 * at);
    containers.push({ memory, start, end });
    start = end;
  }
  return start === memory.length ? containers : [];
};

const standingAlone = (memory: Buffer): Packed => ({ memory, start: 0, end: memory.length });

/** One that stood alone when `size` was read may be in its run by now; in a data dir from before there were runs, all do. */
export const byNumber = async ({ store, name, size }: Numbered, number: number): Promise<Packed | undefined> => {
  const alone = async (): Promise<Packed | undefined> => {
    const found = await store.get(numberedKey(numbersTable(name), number));
    return found && standingAlone(found);
  };
  const inRun = async (): Promise<Packed | undefined> =>
    unpackRun(await store.get(numberedKey(runsTable(name), runOf(number))))[number % runLength];
  return runOf(number) < runOf(size) ? ((await inRun()) ?? alone()) : ((await alone()) ?? inRun());
};

/** Those that are missing are left out. */
export const range = async (where: Numbered, first: number, count: number): Promise<readonly Packed[]> => {
  if (count <= 0) return [];
  const { store, name, size } = where;
  const end = first + count;
  const readAlone = async (from: number): Promise<readonly Packed[]> =>
    (await store.numbered(numbersTable(name), from, end - from)).map(standingAlone);

  // These before the runs: what is put into a run in between is found there.
  const tail = await readAlone(Math.max(first, runOf(size) * runLength));
  const runs = await store.numbered(runsTable(name), runOf(first), runOf(end - 1) - runOf(first) + 1);
  const inRuns: Packed[] = [];
  // flatMap asks of every element whether it is there, and takes six times as long.
  for (const run of runs) inRuns.push(...within(unpackRun(run), first, end));
  if (inRuns.length === count) return inRuns;
  const found = merged(inRuns, tail);
  return found.length < count ? merged(found, await readAlone(first)) : found;
};

/** Of containers in a row those from `first` to before `end`. */
const within = (row: readonly Packed[], first: number, end: number): readonly Packed[] => {
  const start = row[0] === undefined ? first : numberOf(row[0]);
  return start >= first && start + row.length <= end ? row : row.slice(Math.max(0, first - start), Math.max(0, end - start));
};

/** By number, each once: what was put into a run between two reads is found by both. */
const merged = (some: readonly Packed[], others: readonly Packed[]): readonly Packed[] =>
  [...new Map([...others, ...some].map((packed) => [numberOf(packed), packed]))]
    .toSorted(([one], [other]) => one - other)
    .map(([, packed]) => packed);

/** What stands alone behind the last complete run. */
export const tailOf = ({ store, name, size }: Numbered): Promise<readonly Buffer[]> => {
  const start = runOf(size) * runLength;
  return store.numbered(numbersTable(name), start, size - start);
};

/** The run that is being filled. */
export interface Tail {
  readonly push: (packed: Buffer) => void;
  /** What must be written of all that was pushed since it was last asked. */
  readonly changes: () => readonly Change[];
}

/** `written`: what tailOf gives of an index of `size`. */
export const startTail = (name: IndexName, size: number, written: readonly Buffer[]): Tail => {
  let run = runOf(size);
  let containers = [...written];
  let alone = written.length;
  let changes: Change[] = [];

  const keyAt = (at: number): string => numberedKey(numbersTable(name), run * runLength + at);
  const close = (): void => {
    for (let at = 0; at < alone; at += 1) changes.push({ key: keyAt(at) });
    changes.push({ key: numberedKey(runsTable(name), run), value: packRun(containers) });
    run += 1;
    containers = [];
    alone = 0;
  };

  return {
    push: (packed) => {
      containers.push(packed);
      if (containers.length === runLength) close();
    },
    changes: () => {
      for (const [at, packed] of containers.entries()) if (at >= alone) changes.push({ key: keyAt(at), value: packed });
      alone = containers.length;
      const made = changes;
      changes = [];
      return made;
    },
  };
};
