// The event history: takes every transition, numbers it, keeps it in the ring and hands it to the store.

import { lineOfFile } from './json.ts';
import type { Draft, TransitionRecord } from './record.ts';
import { type Bounds, createRing, type Found, type Query } from './ring.ts';

/** What page and API read. */
export interface EventHistoryReader {
  /** Newest last; of one target, or of all. */
  readonly records: (target?: string) => readonly TransitionRecord[];
  /** When the oldest record of a target was known; undefined while none of it had to make room. */
  readonly heldFrom: (target: string) => number | undefined;
  readonly find: (query: Query) => Found;
}

/** Keeps lines across restarts. Takes them at once and writes them in its own time. */
export interface Store {
  readonly append: (lines: readonly string[]) => void;
  /** A new object when a number changed. */
  readonly tally: () => StoreTally;
  /** Resolves when everything taken is written, or the time is up. */
  readonly close: () => Promise<void>;
}

export interface StoreTally {
  /** Records that are on disk for certain. */
  readonly written: number;
  /** Writes that failed, each tried again. */
  readonly writeFailures: number;
  /** Records given up, because too many waited for a disk that did not take them. */
  readonly lost: number;
}

export interface EventHistory extends EventHistoryReader {
  readonly add: (drafts: readonly Draft[]) => void;
  /** Undefined without a store. */
  readonly tally: () => StoreTally | undefined;
  readonly close: () => Promise<void>;
}

export interface EventHistoryOptions {
  /** Names this run in the ids of its records: no two runs share one. */
  readonly run: string;
  /** From earlier runs, oldest first. */
  readonly history?: readonly TransitionRecord[];
  readonly store?: Store;
  readonly bounds?: Bounds;
}

export const createEventHistory = ({ run, history = [], store, bounds }: EventHistoryOptions): EventHistory => {
  const ring = createRing(bounds);
  for (const record of history) ring.put(record, lineOfFile(record).length);
  const first = ring.next();
  const newestOfHistory = history.at(-1)?.id ?? `${run}-0`;

  const idOf = (number: number): string => `${run}-${number - first + 1}`;
  const numberOf = (cursor: string): number | undefined => {
    const own = cursor.startsWith(`${run}-`) ? Number(cursor.slice(run.length + 1)) : Number.NaN;
    return Number.isInteger(own) && own >= 0 && own <= ring.next() - first ? own + first - 1 : undefined;
  };
  const newest = (): string => (ring.next() > first ? idOf(ring.next() - 1) : newestOfHistory);

  const add = (drafts: readonly Draft[]): void => {
    if (drafts.length === 0) return;
    const lines = drafts.map((draft) => {
      const record = { id: idOf(ring.next()), ...draft };
      const line = lineOfFile(record);
      ring.put(record, line.length);
      return line;
    });
    store?.append(lines);
  };

  return {
    records: ring.records,
    heldFrom: ring.heldFrom,
    find: (query) => ring.find(query, numberOf, newest()),
    add,
    tally: () => store?.tally(),
    close: async () => store?.close(),
  };
};
