// Opens the event history of a run, and loads the records of earlier runs from stateDir, if there is one.

import { join } from 'node:path';
import { newerFormat } from '../format.ts';
import type { Log } from '../log.ts';
import type { StateGuard } from '../memory/guard.ts';
import { within } from '../pause.ts';
import { codeOf } from '../text.ts';
import { createEventHistory, type EventHistory } from './event-history.ts';
import { recordsIn } from './read-segments.ts';
import type { TransitionRecord } from './record.ts';
import { createRing, defaultBounds, type EventRing } from './ring.ts';
import { newerSegmentsIn, segmentFormat } from './segments.ts';
import { openStore, type StoreOptions } from './store.ts';

export interface OpenOptions extends Partial<Omit<StoreOptions, 'folder'>> {
  /** Absent: in memory only. */
  readonly stateDir?: string;
  /** Unique name of this run: at most 32 lower-case letters and digits. */
  readonly run: string;
  /** Time limit for reading the records of earlier runs, so that a hanging disk does not block startup. Default: 10. */
  readonly readSeconds?: number;
}

interface Dependencies {
  readonly now: () => number;
  readonly log: Log;
  /** Aborting it stops the reading. */
  readonly signal?: AbortSignal | undefined;
  readonly guard?: StateGuard | undefined;
}

export const openEventHistory = async (
  { stateDir, run, readSeconds = 10, ...options }: OpenOptions,
  { now, log, signal, guard }: Dependencies,
): Promise<EventHistory> => {
  if (stateDir === undefined) return createEventHistory({ run });
  const folder = join(stateDir, 'events');
  const ring = createRing();
  await fill(ring, folder, readSeconds, { log, signal, guard });
  if (ring.next() > 0) log.info({ directory: folder, records: ring.next() }, 'event history of earlier runs loaded');
  return createEventHistory({
    run,
    ring,
    store: openStore({ folder, run, ...options }, { now, log, mayWrite: guard?.mayWrite }),
  });
};

const fill = async (
  ring: EventRing,
  folder: string,
  readSeconds: number,
  { log, signal, guard }: Omit<Dependencies, 'now'>,
): Promise<void> => {
  let isOver = false;
  /** Run -> number of its last record. */
  const numbers = new Map<string, number>();
  /** False if records are missing before this one: each run numbers its records from 1. */
  const isNext = ({ id }: TransitionRecord): boolean => {
    const [run = '', number] = id.split('-');
    const before = numbers.get(run) ?? 0;
    numbers.set(run, Number(number));
    return !(Number(number) > before + 1);
  };
  const read = async (): Promise<true> => {
    try {
      const newer = await newerSegmentsIn(folder);
      for (const { file, version } of newer) guard?.newer(file, version);
      if (newer[0] !== undefined)
        log.error({ file: newer[0].file, files: newer.length }, newerFormat('event history', newer[0].version, segmentFormat));
      for await (const records of recordsIn(folder, defaultBounds.bytes, log)) {
        if (isOver) break;
        for (const { record, size } of records) {
          if (!isNext(record)) ring.missing();
          ring.put(record, size);
        }
      }
    } catch (error) {
      log.error({ directory: folder, error: codeOf(error) }, 'event history of earlier runs unreadable: starting without it');
    }
    return true;
  };
  const isRead = await within(read(), readSeconds, signal);
  // Records read after that would be added behind new ones.
  isOver = true;
  if (isRead === undefined && signal?.aborted !== true)
    log.error({ directory: folder }, 'event history of earlier runs not read in time: starting with what was read');
};
