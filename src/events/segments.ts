// The files of the event history. Each run writes its own files, so that two runs on one folder, or a run after a crash, cannot damage each
// other's lines. The next run reads all of them.

import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, unlessMissing } from '../file-system.ts';

export interface Segment {
  readonly path: string;
  /** From its name; milliseconds since the Unix epoch. */
  readonly createdMs: number;
  readonly bytes: number;
}

/** The version of the format is in the name, because NDJSON files have no header. Version 2 would be `events-v2-…`. */
const pattern = /^events-(\d{13,})-[0-9a-z]{1,32}\.ndjson$/;

export const segmentFormat = 1;

/** The year 2255. A file with a later time was not written by snowgauge: it counts as the oldest, and is deleted first. */
const latestMs = 9e12;

export const segmentPath = (folder: string, createdMs: number, run: string): string =>
  join(folder, `events-${String(createdMs).padStart(13, '0')}-${run}.ndjson`);

/** Bytes of all files, of one file, and how many files. */
export const fileBounds = { bytes: 16 * 1024 * 1024, segments: 4, files: 1000 } as const;

/** Oldest first. Empty if the folder does not exist. */
export const segmentsIn = async (folder: string): Promise<readonly Segment[]> => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Segment[]> => {
      const stamp = pattern.exec(name)?.[1];
      if (stamp === undefined) return [];
      const createdMs = Number(stamp) < latestMs ? Number(stamp) : 0;
      const path = join(folder, name);
      // Another run may have deleted it meanwhile. Links are not followed.
      const known = await lstat(path).catch(() => undefined);
      return known?.isFile() === true ? [{ path, createdMs, bytes: known.size }] : [];
    }),
  );
  return found.flat().sort((a, b) => a.createdMs - b.createdMs || (a.path < b.path ? -1 : 1));
};

/** Files of newer formats, the newest first. They are neither read nor deleted. */
export const newerSegmentsIn = async (folder: string) => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = names.flatMap((name) => {
    const version = Number(/^events-v(\d{1,9})-.*\.ndjson$/.exec(name)?.[1] ?? 0);
    return version > segmentFormat ? [{ file: join(folder, name), version }] : [];
  });
  return found.sort((a, b) => b.version - a.version);
};

/**
 * Deletes the oldest files until there is room for a new one. Returns the remaining ones, and the first that could not be deleted, with the
 * error.
 */
export const makeRoom = async (folder: string, maxBytes: number) => {
  const segments = await segmentsIn(folder);
  const room = maxBytes - maxBytes / fileBounds.segments;
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const deleted = new Set<Segment>();
  let stuck: { readonly path: string; readonly error: unknown } | undefined;
  for (const oldest of segments) {
    if (bytes <= room && segments.length - deleted.size < fileBounds.files) break;
    const error = await deletionError(oldest.path);
    if (error !== undefined) {
      stuck ??= { path: oldest.path, error };
      continue;
    }
    bytes -= oldest.bytes;
    deleted.add(oldest);
  }
  return { segments: segments.filter((segment) => !deleted.has(segment)), stuck };
};

/** The error if the file still exists; undefined if it does not. */
const deletionError = (path: string): Promise<unknown> =>
  unlink(path).then(
    () => undefined,
    (error: unknown) => (hasCode(error, 'ENOENT') ? undefined : error),
  );
