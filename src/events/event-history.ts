// The event history: numbers every transition, and adds it to the ring in memory and to the store on disk.

import { lineOfFile } from './json.ts';
import type { Draft } from './record.ts';
import { createRing, type EventRing, type Query, type RecordPage } from './ring.ts';
import type { EventStore, StoreTally } from './store.ts';

export type EventHistory = ReturnType<typeof createEventHistory>;

/** For page and API. */
export type EventHistoryReader = Pick<EventHistory, 'targets' | 'records' | 'heldFrom' | 'find' | 'newest'>;

export interface EventHistoryOptions {
  /** Unique name of this run, part of the ids of its records. */
  readonly run: string;
  /** Has the records of earlier runs. */
  readonly ring?: EventRing;
  readonly store?: EventStore;
}

export const createEventHistory = ({ run, ring = createRing(), store }: EventHistoryOptions) => {
  const first = ring.next();
  const newestOfHistory = ring.records().at(-1)?.id ?? `${run}-0`;

  const idOf = (number: number): string => `${run}-${number - first + 1}`;
  const numberOf = (cursor: string): number | undefined => {
    const own = cursor.startsWith(`${run}-`) ? Number(cursor.slice(run.length + 1)) : Number.NaN;
    return Number.isInteger(own) && own >= 0 && own <= ring.next() - first ? own + first - 1 : undefined;
  };
  const newest = (): string => (ring.next() > first ? idOf(ring.next() - 1) : newestOfHistory);

  const add = (drafts: readonly Draft[]): void => {
    if (drafts.length === 0) return;
    const records = drafts.map((draft) => {
      const record = { id: idOf(ring.next()), ...draft };
      const line = lineOfFile(record);
      ring.put(record, line.length);
      return { record, line };
    });
    store?.append(records);
  };

  return {
    targets: ring.targets,
    /** Newest last; of one target, or of all. */
    records: ring.records,
    /** Time of the oldest remaining record of a target; undefined if none was evicted. */
    heldFrom: ring.heldFrom,
    /** The cursor of the newest record; changes with each record. */
    newest,
    find: (query: Query): RecordPage => ring.find(query, numberOf, newest()),
    add,
    /** Undefined without a store. */
    tally: (): StoreTally | undefined => store?.tally(),
    /** Why it is not written now; undefined if it is, or without a store. */
    fault: (): string | undefined => store?.fault(),
    close: async (): Promise<void> => store?.close(),
  };
};
