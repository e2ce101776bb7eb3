// A small file under stateDir that is written anew with each change: at any moment it is whole. While the disk takes none it is tried
// again. Another snowgauge that writes it too is told of, because each overwrites what the other has kept.

import { join } from 'node:path';
import { hasCode, makeFolder, readStart, replaceFile, tidyReplaced } from '../file-system.ts';
import type { Log } from '../log.ts';

export interface StateFile<T> {
  /** `none` where there is no file, or none that can be read. */
  readonly read: () => Promise<T>;
  /** Resolves to false where it is not on disk; never rejects. Of several calls the last one counts. */
  readonly write: (value: T) => Promise<boolean>;
}

export interface StateFileOptions<T> {
  readonly stateDir: string;
  readonly name: `${string}.json`;
  /** What it holds, for the log. */
  readonly what: string;
  /** No file is longer. */
  readonly maxBytes: number;
  readonly none: T;
  /** After a write that failed. */
  readonly retryMs?: number;
  /** Throws of what is not its own. */
  readonly parse: (json: unknown) => T;
  readonly json: (value: T) => unknown;
  readonly log: Log;
}

export const stateFile = <T>({
  stateDir,
  name,
  what,
  maxBytes,
  none,
  retryMs = 10_000,
  parse,
  json,
  log,
}: StateFileOptions<T>): StateFile<T> => {
  const file = join(stateDir, name);
  let waiting: { readonly value: T } | undefined;
  let working: Promise<boolean> | undefined;
  /** What this run has last read or written; undefined: nothing. */
  let own: string | undefined;
  let isShared = false;
  let failing = false;
  let retry: NodeJS.Timeout | undefined;
  const compare = async (): Promise<void> => {
    if (isShared || own === undefined || (await readStart(file, maxBytes).catch(() => own)) === own) return;
    isShared = true;
    log.error({ file }, `another snowgauge writes ${what} into this stateDir: each needs a stateDir of its own`);
  };
  const replace = async (text: string): Promise<boolean> => {
    try {
      await compare();
      await makeFolder(stateDir);
      await replaceFile(file, text);
      own = text;
      if (failing) log.info({ file }, `${what} written again`);
      failing = false;
    } catch (error) {
      if (!failing) log.error({ file, error: String(error) }, `${what} not written, retrying: a restart forgets them`);
      failing = true;
    }
    return !failing;
  };
  const work = async (): Promise<boolean> => {
    let isWritten = true;
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined;
      isWritten = await replace(`${JSON.stringify(json(next.value))}\n`);
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
  return {
    read: async () => {
      await tidyReplaced(file);
      try {
        own = await readStart(file, maxBytes);
        return parse(JSON.parse(own));
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) log.warn({ file }, `${what} of an earlier run unreadable: ignored`);
        return none;
      }
    },
    write: (value) => {
      waiting = { value };
      return begin();
    },
  };
};
