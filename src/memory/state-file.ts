// A small file under stateDir that is written anew with each change: at any moment it is whole. While the disk takes none, the lock is
// another's, or a newer snowgauge has written it, it is tried again.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { countedBy } from '../client/bounds.ts';
import { hasCode, makeFolder, replaceFile, tidyReplaced } from '../file-system.ts';
import { formatOf, newerFormat, withFormat } from '../format.ts';
import type { Log } from '../log.ts';
import { within, yieldToProbes } from '../pause.ts';
import { readWhole } from '../regular-file.ts';
import type { StateGuard } from './guard.ts';

/** For reading what an earlier run has written, milliseconds. A starved machine needs seconds. */
export const longestReadMs = 5000;

/** `what`: in the plural. */
export const notReadInTime = (what: string): string => `${what} of an earlier run not read in time: ignored`;

export interface StateFile<T> {
  /** `none` where there is no file, or none that can be read in time: a disk that does not answer must not keep the exporter from starting. */
  readonly read: () => Promise<T>;
  /** Resolves to false where it is not on disk; never rejects. Of several calls the last one counts. */
  readonly write: (value: T) => Promise<boolean>;
  /** Writes it anew where somebody has taken it away, as whoever empties stateDir does. To be called now and then; never rejects. */
  readonly renew: () => Promise<unknown>;
}

export interface StateFileOptions<T> {
  readonly stateDir: string;
  readonly name: `${string}.json`;
  /** What it holds, for the log. */
  readonly what: string;
  /** Of its format, from 1 on. */
  readonly version: number;
  /** No file is longer. */
  readonly maxBytes: number;
  /** It holds no more: 3 bytes of a file may be a hundred of memory. */
  readonly maxValues: number;
  readonly none: T;
  /** Whole after a power failure, too: for what a caller is told to be on disk. */
  readonly sync?: boolean;
  /** After a write that failed. */
  readonly retryMs?: number;
  readonly readMs?: number | undefined;
  /** Throws of what is not its own. `version`: of any that there ever was, 0 before there were any. */
  readonly parse: (json: unknown, version: number) => T;
  /** Without the version. */
  readonly json: (value: T) => object;
  readonly guard?: StateGuard | undefined;
  readonly log: Log;
}

export const stateFile = <T>({
  stateDir,
  name,
  what,
  version,
  maxBytes,
  maxValues,
  none,
  sync = false,
  retryMs = 10_000,
  readMs = longestReadMs,
  parse,
  json,
  guard,
  log,
}: StateFileOptions<T>): StateFile<T> => {
  const file = join(stateDir, name);
  /** What was read, or is to be written, last. */
  let last: { readonly value: T } | undefined;
  let waiting: { readonly value: T } | undefined;
  let working: Promise<boolean> | undefined;
  let newer = 0;
  let failing = false;
  let retry: NodeJS.Timeout | undefined;
  /** Says it once for as long as it stands. */
  const isNewer = (found: number): boolean => {
    const now = found > version ? found : 0;
    if (now > 0 && newer !== now) log.error({ file }, newerFormat(what, now, version));
    if (now !== newer) guard?.newer(file, now > 0 ? now : undefined);
    newer = now;
    return newer > 0;
  };
  const mayWrite = async (): Promise<boolean> => (await guard?.mayWrite()) !== false && !isNewer(await formatOf(file));
  const replace = async (text: string): Promise<boolean> => {
    try {
      if (!(await mayWrite())) return false;
      await makeFolder(stateDir);
      if (!(await replaceFile(file, text, { sync, mayReplace: mayWrite }))) return false;
      if (failing) log.info({ file }, `${what} written again`);
      failing = false;
    } catch (error) {
      if (!failing)
        log.error({ file, error: String(error) }, `${what} not written, retrying: a restart would read the previous ones`);
      failing = true;
    }
    return !failing;
  };
  const work = async (): Promise<boolean> => {
    let isWritten = true;
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined;
      isWritten = await replace(`${JSON.stringify(withFormat(version, json(next.value)))}\n`);
      if (isWritten) continue;
      waiting ??= next;
      // Waits for nothing else: an exporter that ends does not stay for it.
      retry = setTimeout(begin, retryMs).unref();
      break;
    }
    working = undefined;
    return isWritten;
  };
  const begin = (): Promise<boolean> => {
    clearTimeout(retry);
    working ??= work();
    return working;
  };
  const readAll = async (): Promise<T> => {
    await tidyReplaced(file);
    try {
      const found = await formatOf(file);
      if (isNewer(found)) return none;
      const bytes = await readWhole(file, maxBytes, 'refused');
      if (!(await holdsAtMost(bytes, maxValues))) throw new Error('it holds too much');
      const value = parse(JSON.parse(bytes.toString()), found);
      last ??= { value };
      return value;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) log.warn({ file }, `${what} of an earlier run unreadable: ignored`);
      return none;
    }
  };
  return {
    read: async () => {
      const found = await within(
        readAll().then((value) => ({ value })),
        readMs / 1000,
      );
      if (found === undefined) log.warn({ file }, notReadInTime(what));
      return found === undefined ? none : found.value;
    },
    write: (value) => {
      last = { value };
      waiting = last;
      return begin();
    },
    renew: async () => {
      const isGone = (error: unknown): boolean => hasCode(error, 'ENOENT');
      if (last === undefined || working !== undefined || waiting !== undefined) return;
      if (!(await lstat(file).then(() => false, isGone))) return;
      waiting ??= last;
      await begin();
    },
  };
};

/** Of a file of ours. */
const maxDepth = 16;

/** Bytes that are counted in one turn of the event loop. */
const pieceBytes = 128 * 1024;

const holdsAtMost = async (bytes: Buffer, values: number): Promise<boolean> => {
  const counted = countedBy({ depth: maxDepth, values, name: 1024, names: values, checks: Number.POSITIVE_INFINITY });
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (counted.take(bytes.subarray(at, at + pieceBytes)) !== undefined) return false;
    await yieldToProbes();
  }
  return true;
};
