// A small file under stateDir that is replaced atomically with each change. If that fails, because of the disk, because another process has
// the lock, or because a newer snowgauge wrote the file, it is retried.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { countedBy } from '../client/bounds.ts';
import { hasCode, makeFolder, replaceFile, tidyReplaced } from '../file-system.ts';
import { formatOf, newerFormat, withFormat } from '../format.ts';
import type { Log } from '../log.ts';
import { within, yieldToProbes } from '../pause.ts';
import { readWhole } from '../regular-file.ts';
import type { StateGuard } from './guard.ts';

/** Time limit for reading the file of an earlier run. An overloaded machine needs seconds. */
export const longestReadMs = 5000;

/** `what`: in the plural. */
export const notReadInTime = (what: string): string => `${what} of an earlier run not read in time: ignored`;

export interface StateFile<T> {
  /** Returns `none` if there is no file, or if it cannot be read in time: a hanging disk must not block startup. */
  readonly read: () => Promise<T>;
  /** Resolves to false if it could not be written; never rejects. Of concurrent calls, the last value is written. */
  readonly write: (value: T) => Promise<boolean>;
  /** Writes the file again if it was deleted, as when somebody empties stateDir. Call it periodically; never rejects. */
  readonly renew: () => Promise<unknown>;
}

export interface StateFileOptions<T> {
  readonly stateDir: string;
  readonly name: `${string}.json`;
  /** What it contains, for log messages. */
  readonly what: string;
  /** Version of its format, 1 or higher. */
  readonly version: number;
  /** A larger file is not read. */
  readonly maxBytes: number;
  /** Maximum number of JSON values: 3 bytes of a file may need a hundred bytes of memory. */
  readonly maxValues: number;
  readonly none: T;
  /** Survives a power failure: needed if a client is told that it was saved. */
  readonly sync?: boolean;
  /** Delay after a failed write. */
  readonly retryMs?: number;
  readonly readMs?: number | undefined;
  /** Throws if the content is invalid. `version`: any version of the format; 0: from before formats had versions. */
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
  /** The last value read, written or queued. */
  let last: { readonly value: T } | undefined;
  let waiting: { readonly value: T } | undefined;
  let working: Promise<boolean> | undefined;
  let newer = 0;
  let failing = false;
  let retry: NodeJS.Timeout | undefined;
  /** Logged only once while it lasts. */
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
      // Unreferenced: it must not keep a stopping process alive.
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

/** Depth of nested values. */
const maxDepth = 16;

/** Bytes checked per iteration of the event loop. */
const pieceBytes = 128 * 1024;

const holdsAtMost = async (bytes: Buffer, values: number): Promise<boolean> => {
  const counted = countedBy({ depth: maxDepth, values, name: 1024, names: values, checks: Number.POSITIVE_INFINITY });
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (counted.take(bytes.subarray(at, at + pieceBytes)) !== undefined) return false;
    await yieldToProbes();
  }
  return true;
};
