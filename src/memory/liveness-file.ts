// Saves the liveness state of each target in its own file, so that it survives a restart of the exporter. Times are of the clock since boot.
// Files are not synced: after a crash of the machine, their times would be invalid anyway.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from '../conditions/condition.ts';
import type { LiveMemory } from '../conditions/memory.ts';
import { hasCode, isLink, makeOwnFolder, replaceFile } from '../file-system.ts';
import { formatIn, formatOf, newerFormat, withFormat } from '../format.ts';
import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { storedUrl } from '../protocol/node-url.ts';
import { readStart } from '../regular-file.ts';
import type { StateGuard } from './guard.ts';
import { isWatched, longestGap, memoryOf, type Saved, savedOf, schema } from './saved.ts';
import { longestReadMs, notReadInTime } from './state-file.ts';

export interface LivenessFileOptions {
  readonly stateDir: string;
  /** Names of the configured targets. Old files of others are deleted. */
  readonly targets: Iterable<string>;
  /** Time limit for reading, so that a hanging disk does not block startup. */
  readonly readMs?: number;
  readonly guard?: StateGuard | undefined;
}

export interface LivenessFileDependencies {
  /** Exporter's clock. */
  readonly now: () => number;
  /** Seconds since the machine was booted. */
  readonly sinceBoot: () => number;
  readonly log: Log;
}

/** Maximum size of a file. */
const maxBytes = 4096;

export const openLivenessFiles = async (
  { stateDir, targets, readMs = longestReadMs, guard }: LivenessFileOptions,
  { now, sinceBoot, log }: LivenessFileDependencies,
) => {
  const folder = join(stateDir, 'liveness');
  const names = [...targets];
  const tidied = tidy(folder, names, sinceBoot(), log);
  let hasLoggedNewer = false;
  /** Logged once for all files. */
  const isNewer = (file: string, found: number): boolean => {
    guard?.newer(file, found > version ? found : undefined);
    if (found > version && !hasLoggedNewer) log.error({ file }, newerFormat('liveness state', found, version));
    hasLoggedNewer ||= found > version;
    return found > version;
  };
  const found = await within(Promise.all(names.map((name) => readOne(folder, name, isNewer, log))), readMs / 1000);
  if (found === undefined) log.warn({ directory: folder }, notReadInTime('liveness state'));
  await within(tidied, readMs / 1000);
  const saved = new Map(found?.flat());
  const written = new Map(Array.from(saved.keys(), (name) => [name, unknown]));
  const waiting = new Map<string, Saved | undefined>();
  let working: Promise<void> | undefined;
  let failing = false;

  const work = async (): Promise<void> => {
    for (const [name, record] of waiting) {
      waiting.delete(name);
      const file = fileOf(folder, name);
      const mayWrite = async (): Promise<boolean> => (await guard?.mayWrite()) !== false && !isNewer(file, await formatOf(file));
      try {
        if (!(await mayWrite())) {
          written.set(name, unknown);
          continue;
        }
        if (record === undefined) await remove(folder, file);
        else {
          await makeOwnFolder(folder);
          const text = `${JSON.stringify(withFormat(version, record))}\n`;
          if (!(await replaceFile(file, text, { mayReplace: mayWrite }))) written.set(name, unknown);
        }
        if (failing) log.info({ directory: folder }, 'liveness state written again');
        failing = false;
      } catch (error) {
        written.set(name, unknown);
        // An old file would claim that the node did not respond while it did.
        if (await mayWrite().catch(() => false)) await remove(folder, file).catch(() => undefined);
        if (!failing)
          log.error({ directory: folder, error: String(error) }, 'liveness state not written: retrying with each poll');
        failing = true;
      }
    }
    working = undefined;
  };

  const change = (name: string, record: Saved | undefined): Promise<void> => {
    waiting.set(name, record);
    working ??= work();
    return working;
  };

  return {
    /** State from an earlier run; returned only once. */
    recall: ({ name, url }: { readonly name: string; readonly url: string }): LiveMemory | undefined => {
      const found = saved.get(name);
      saved.delete(name);
      return found?.url === storedUrl(url) ? memoryOf(found, sinceBoot(), now()) : undefined;
    },
    /** Saves the state after a poll. Resolves when it is on disk, or could not be written; never rejects. */
    keep: ({ state: { options }, conditions: { memory } }: Target): Promise<void> => {
      const { name, url } = options;
      const record = savedOf(url, memory.live, sinceBoot() - now());
      const [text, at] = [JSON.stringify(record), sinceBoot()];
      const last = written.get(name);
      if (last?.text === text && (record === undefined || at - (last?.at ?? 0) < renewAfter)) return Promise.resolve();
      written.set(name, { text, at });
      return change(name, record && { ...record, savedAt: at });
    },
    /** The target was removed: a later target with its name is another node. Resolves like `keep`. */
    forget: (name: string): Promise<void> => {
      written.delete(name);
      return change(name, undefined);
    },
  };
};

/** Version of the format of a file. */
const version = 1;

/** Content of a target's file without its time, and when it was written. */
interface Written {
  readonly text: string | undefined;
  readonly at: number;
}

/** For a file that was only read, or could not be written. */
const unknown: Written = { text: '', at: 0 };

/** Seconds after which an unchanged file is written again, so that it does not look abandoned. */
const renewAfter = longestGap / 2;

const fileOf = (folder: string, name: string): string => join(folder, `${name}.json`);

/** Links are not followed: their targets are not our files. */
const remove = async (folder: string, file: string): Promise<void> => {
  if (!(await isLink(folder))) await rm(file, { force: true });
};

/** Deletes old files of other targets, and incomplete files of a killed run. */
const tidy = async (folder: string, targets: readonly string[], booted: number, log: Log): Promise<void> => {
  const own = new Set(targets.map((name) => fileOf(folder, name)));
  const others = (await readdir(folder).catch(() => [])).map((file) => join(folder, file)).filter((file) => !own.has(file));
  const ends = await Promise.allSettled(
    others.map(async (file) => {
      if (!/\.(?:json|tmp)$/.test(file)) return;
      const text = await readStart(file, maxBytes).catch(() => '');
      // Files of a newer snowgauge are not deleted.
      if (formatIn(text) > version) return;
      const saved = savedOrNone(text);
      if (saved === undefined || !isWatched(saved, booted)) await remove(folder, file);
    }),
  );
  if (ends.some(({ status }) => status === 'rejected')) log.warn({ directory: folder }, 'files of an earlier run not deleted');
};

const readOne = async (
  folder: string,
  name: string,
  isNewer: (file: string, found: number) => boolean,
  log: Log,
): Promise<readonly (readonly [string, Saved])[]> => {
  const file = fileOf(folder, name);
  try {
    const text = await readStart(file, maxBytes);
    return isNewer(file, formatIn(text)) ? [] : [[name, savedIn(text)]];
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) log.warn({ file }, 'liveness state of an earlier run unreadable: ignored');
    return [];
  }
};

const savedIn = (text: string): Saved => {
  const { version: _, ...saved } = schema.parse(JSON.parse(text));
  return saved;
};

const savedOrNone = (text: string): Saved | undefined => {
  try {
    return savedIn(text);
  } catch {
    return undefined;
  }
};
