// A small file under stateDir that is written anew with each change: at any moment it is whole. Another snowgauge that writes it too
// is told of, because each overwrites what the other has kept.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, readStart, replaceFile } from '../file-system.ts';
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
  /** Of this run alone: lower-case letters and digits. */
  readonly run: string;
  /** What it holds, for the log. */
  readonly what: string;
  /** No file is longer. */
  readonly maxBytes: number;
  readonly none: T;
  /** Throws of what is not its own. */
  readonly parse: (json: unknown) => T;
  readonly json: (value: T) => unknown;
  readonly log: Log;
}

export const stateFile = <T>({
  stateDir,
  name,
  run,
  what,
  maxBytes,
  none,
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
  const compare = async (): Promise<void> => {
    if (isShared || own === undefined || (await readFile(file, 'utf8').catch(() => own)) === own) return;
    isShared = true;
    log.error({ file }, `another snowgauge writes ${what} into this stateDir: each needs a stateDir of its own`);
  };
  const replace = async (text: string): Promise<boolean> => {
    try {
      await compare();
      await replaceFile(file, run, text);
      own = text;
      return true;
    } catch (error) {
      log.error({ file, error: String(error) }, `${what} not written: a restart forgets them`);
      return false;
    }
  };
  const work = async (): Promise<boolean> => {
    let isWritten = true;
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined;
      isWritten = await replace(`${JSON.stringify(json(next.value))}\n`);
    }
    working = undefined;
    return isWritten;
  };
  return {
    read: async () => {
      await tidy(stateDir, name);
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
      working ??= work();
      return working;
    },
  };
};

/** Takes away what a run left half-written that was killed meanwhile. */
const tidy = async (stateDir: string, name: string): Promise<void> => {
  const there = await readdir(stateDir).catch(() => []);
  const stale = there.filter((one) => one.startsWith(`${name}.`) && /^\.\w+\.tmp$/.test(one.slice(name.length)));
  await Promise.allSettled(stale.map((one) => rm(join(stateDir, one), { force: true })));
};
