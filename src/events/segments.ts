// The files of the event history: each run appends to files of its own, so that two runs on one folder, and a run after one that was
// killed, cannot spoil each other's lines. All of them are read by whoever starts next.

import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, unlessMissing } from '../file-system.ts';

export interface Segment {
  readonly path: string;
  /** From its name; milliseconds since the Unix epoch. */
  readonly createdMs: number;
  readonly bytes: number;
}

/** Its format stands in its name: of a line that every tool reads, none is a head. A later one is called `events-v2-…`. */
const pattern = /^events-(\d{13,})-[0-9a-z]{1,32}\.ndjson$/;

export const segmentFormat = 1;

/** The year 2255. What is stamped later was stamped by no clock: it is the oldest, so that it stands in the way of none. */
const latestMs = 9e12;

export const segmentPath = (folder: string, createdMs: number, run: string): string =>
  join(folder, `events-${String(createdMs).padStart(13, '0')}-${run}.ndjson`);

/** Bytes of all files, of one file, and how many files. */
export const fileBounds = { bytes: 16 * 1024 * 1024, segments: 4, files: 1000 } as const;

/** Oldest first. A folder that is not there has none. */
export const segmentsIn = async (folder: string): Promise<readonly Segment[]> => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Segment[]> => {
      const stamp = pattern.exec(name)?.[1];
      if (stamp === undefined) return [];
      const createdMs = Number(stamp) < latestMs ? Number(stamp) : 0;
      const path = join(folder, name);
      // Another run may have taken it away since. A link is not followed.
      const known = await lstat(path).catch(() => undefined);
      return known?.isFile() === true ? [{ path, createdMs, bytes: known.size }] : [];
    }),
  );
  return found.flat().sort((a, b) => a.createdMs - b.createdMs || (a.path < b.path ? -1 : 1));
};

/** What newer versions left: how many, of the latest format. It is neither read nor taken away. */
export const newerSegmentsIn = async (folder: string) => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = names.flatMap((name) => {
    const version = Number(/^events-v(\d{1,9})-.*\.ndjson$/.exec(name)?.[1] ?? 0);
    return version > segmentFormat ? [{ file: join(folder, name), version }] : [];
  });
  return found.sort((a, b) => b.version - a.version);
};

/**
 * Takes away the oldest files until there is room for one more; gives those that stay, among them what cannot be deleted, and the first of
 * the latter with the reason.
 */
export const makeRoom = async (folder: string, maxBytes: number) => {
  const segments = await segmentsIn(folder);
  const room = maxBytes - maxBytes / fileBounds.segments;
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const gone = new Set<Segment>();
  let stuck: { readonly path: string; readonly error: unknown } | undefined;
  for (const oldest of segments) {
    if (bytes <= room && segments.length - gone.size < fileBounds.files) break;
    const error = await deletion(oldest.path);
    if (error !== undefined) {
      stuck ??= { path: oldest.path, error };
      continue;
    }
    bytes -= oldest.bytes;
    gone.add(oldest);
  }
  return { segments: segments.filter((segment) => !gone.has(segment)), stuck };
};

/** Why it is still there; undefined where it is not. */
const deletion = (path: string): Promise<unknown> =>
  unlink(path).then(
    () => undefined,
    (error: unknown) => (hasCode(error, 'ENOENT') ? undefined : error),
  );
