// The event history of a run, with what earlier runs left in the folder where there is one.

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
  /** Absent: in memory alone. */
  readonly stateDir?: string;
  /** Of this run alone: lower-case letters and digits, at most 32. */
  readonly run: string;
  /** Seconds to read what earlier runs left: a disk that does not answer must not keep the exporter from starting. Default: 10. */
  readonly readSeconds?: number;
}

interface Dependencies {
  readonly now: () => number;
  readonly log: Log;
  /** Aborted: the run is to end, and reads no more. */
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
  if (ring.next() > 0) log.info({ folder, records: ring.next() }, 'event history of earlier runs loaded');
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
  /** By run: of its last record. */
  const numbers = new Map<string, number>();
  /** A run numbers its records from 1 on: those between two were never written. */
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
      log.error({ folder, error: codeOf(error) }, 'event history of earlier runs unreadable: starting without it');
    }
    return true;
  };
  const isRead = await within(read(), readSeconds, signal);
  // What comes later would stand behind what is new.
  isOver = true;
  if (isRead === undefined && signal?.aborted !== true)
    log.error({ folder }, 'event history of earlier runs not read in time: starting with what was read');
};
