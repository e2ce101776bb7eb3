// Event records to write, logs to read, and temporary folders.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lineOfFile } from '../../src/events/json.ts';
import { recordsIn } from '../../src/events/read-segments.ts';
import type { Draft, TransitionRecord } from '../../src/events/record.ts';
import { createRing, type EventRing } from '../../src/events/ring.ts';
import { fileBounds } from '../../src/events/segments.ts';
import { silentLog } from '../../src/log.ts';
import { noon } from './snapshot.ts';

/** A record of a check that started to fail this many seconds after noon. */
export const draft = (at: number, over: Partial<Draft> = {}): Draft => ({
  kind: 'check',
  at: noon + at,
  target: 'node',
  tagSets: ['all'],
  check: 'database',
  from: 'passing',
  to: 'failing',
  error: 'closed',
  ...over,
});

export const ringWith = (history: readonly TransitionRecord[]): EventRing => {
  const ring = createRing();
  for (const record of history) ring.put(record, lineOfFile(record).length);
  return ring;
};

/** The newest records up to the size limit of one file, oldest first. */
export const recordsOnDisk = async (folder: string): Promise<readonly TransitionRecord[]> => {
  const found: TransitionRecord[] = [];
  for await (const records of recordsIn(folder, fileBounds.bytes, silentLog)) found.push(...records.map(({ record }) => record));
  return found;
};

export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-events-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export interface Said {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const listeningLog = () => {
  const said: Said[] = [];
  const take =
    (level: Said['level']) =>
    (fields: Said['fields'], message: string): void => {
      said.push({ level, message, fields });
    };
  return { said, log: { ...silentLog, info: take('info'), warn: take('warn'), error: take('error') } };
};
