// The files of the event history: each run appends to files of its own, so that two runs on one folder, and a run after one that was
// killed, cannot spoil each other's lines. All of them are read by whoever starts next.

import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../file-system.ts';
import type { Log } from '../log.ts';
import { codeOf } from '../text.ts';
import { recordOfLine } from './json.ts';
import type { TransitionRecord } from './record.ts';

export interface Segment {
  readonly path: string;
  /** From its name; milliseconds since the Unix epoch. */
  readonly createdMs: number;
  readonly bytes: number;
}

const pattern = /^events-(\d{13})-[0-9a-z]{1,32}\.ndjson$/;

export const segmentPath = (folder: string, createdMs: number, run: string): string =>
  join(folder, `events-${String(createdMs).padStart(13, '0')}-${run}.ndjson`);

/** Bytes of all files, of one file, and how many files. */
export const fileBounds = { bytes: 16 * 1024 * 1024, segments: 4, files: 1000 } as const;

/** Oldest first. A folder that is not there has none. */
export const segmentsIn = async (folder: string): Promise<readonly Segment[]> => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Segment[]> => {
      const createdMs = pattern.exec(name)?.[1];
      if (createdMs === undefined) return [];
      const path = join(folder, name);
      // Another run may have taken it away since.
      const known = await stat(path).catch(() => undefined);
      return known?.isFile() === true ? [{ path, createdMs: Number(createdMs), bytes: known.size }] : [];
    }),
  );
  return found.flat().sort((a, b) => a.createdMs - b.createdMs || (a.path < b.path ? -1 : 1));
};

/** Takes away the oldest files until there is room for one more; gives those that stay. */
export const makeRoom = async (folder: string, maxBytes: number): Promise<readonly Segment[]> => {
  const segments = [...(await segmentsIn(folder))];
  const room = maxBytes - maxBytes / fileBounds.segments;
  const bytes = (): number => segments.reduce((sum, segment) => sum + segment.bytes, 0);
  while (segments.length > 0 && (bytes() > room || segments.length >= fileBounds.files)) {
    const oldest = segments.shift();
    if (oldest !== undefined) await unlink(oldest.path).catch(() => undefined);
  }
  return segments;
};

/** The newest records of all files, oldest first: as many files as hold `enough` bytes. */
export const readSegments = async (folder: string, enough: number, log: Log): Promise<readonly TransitionRecord[]> => {
  const chosen: Segment[] = [];
  let bytes = 0;
  for (const segment of [...(await segmentsIn(folder))].reverse()) {
    if (bytes >= enough) break;
    if (segment.bytes > fileBounds.bytes) {
      log.warn({ file: segment.path, bytes: segment.bytes }, 'event history: skipped a file that is too large');
      continue;
    }
    chosen.unshift(segment);
    bytes += segment.bytes;
  }
  // By id: a line that was written, and written again after its sync failed, is one record.
  const records = new Map<string, TransitionRecord>();
  for (const { path } of chosen) {
    for (const record of await readSegment(path, log)) if (!records.has(record.id)) records.set(record.id, record);
  }
  return [...records.values()];
};

const readSegment = async (path: string, log: Log): Promise<readonly TransitionRecord[]> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    log.warn({ file: path, error: codeOf(error) }, 'event history: skipped a file that cannot be read');
    return '';
  });
  const read = text
    .split('\n')
    .map((line, at) => ({ at, isBlank: line === '', record: recordOfLine(line) }))
    .filter(({ isBlank }) => !isBlank);
  // What was torn by a crash stands at the end of a file that nobody appends to any more.
  const isTorn = read.length > 0 && read.at(-1)?.record === undefined;
  const malformed = read.slice(0, isTorn ? -1 : undefined).filter(({ record }) => record === undefined);
  const [first] = malformed;
  if (first !== undefined)
    log.warn({ file: path, records: malformed.length, line: first.at + 1 }, 'event history damaged: skipped malformed records');
  if (isTorn) log.info({ file: path }, 'event history: skipped an incomplete last record');
  return read.flatMap(({ record }) => record ?? []);
};
