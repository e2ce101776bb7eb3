// The event history of a run, with what earlier runs left in the folder where there is one.

import { join } from 'node:path';
import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { codeOf } from '../text.ts';
import { createEventHistory, type EventHistory } from './event-history.ts';
import type { TransitionRecord } from './record.ts';
import { defaultBounds } from './ring.ts';
import { readSegments } from './segments.ts';
import { openStore, type StoreOptions } from './store.ts';

export interface OpenOptions extends Partial<Omit<StoreOptions, 'folder'>> {
  /** Absent: in memory alone. */
  readonly stateDir?: string;
  /** Of this run alone: lower-case letters and digits, at most 32. */
  readonly run: string;
}

/** A disk that does not answer must not keep the exporter from starting. */
const longestRead = 10;

export const openEventHistory = async (
  { stateDir, run, ...options }: OpenOptions,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Promise<EventHistory> => {
  if (stateDir === undefined) return createEventHistory({ run });
  const folder = join(stateDir, 'events');
  const history = await readHistory(folder, log);
  if (history.length > 0) log.info({ folder, records: history.length }, 'event history of earlier runs loaded');
  return createEventHistory({ run, history, store: openStore({ folder, run, ...options }, { now, log }) });
};

const readHistory = async (folder: string, log: Log): Promise<readonly TransitionRecord[]> => {
  const read = readSegments(folder, defaultBounds.bytes, log).catch((error: unknown) => {
    log.error({ folder, error: codeOf(error) }, 'event history of earlier runs unreadable: starting without it');
    return [];
  });
  const history = await within(read, longestRead);
  if (history === undefined) log.error({ folder }, 'event history of earlier runs not read in time: starting without it');
  return history ?? [];
};
