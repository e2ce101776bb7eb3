// What is remembered of a target's liveness, in a file for each target, so that it survives a restart of the exporter. Its instants are
// of the clock that runs since the machine was booted. Nothing is synced: what a crash of the machine could lose ends with its boot.

import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Target } from '../conditions/condition.ts';
import type { LiveMemory } from '../conditions/memory.ts';
import type { Log } from '../log.ts';
import { makeFolder } from '../make-folder.ts';
import { memoryOf, type Saved, savedOf, schema } from './saved.ts';

export interface LivenessFiles {
  /** What an earlier run knew of the target; given once. */
  readonly recall: (target: { readonly name: string; readonly url: string }) => LiveMemory | undefined;
  /** Takes what is known after a poll. Resolves once it is on disk, or could not be written; never rejects. */
  readonly keep: (target: Target) => Promise<void>;
  /** The target is configured no more: what comes back under its name later is another one. Resolves as `keep`. */
  readonly forget: (name: string) => Promise<void>;
}

export interface LivenessFileOptions {
  readonly stateDir: string;
  /** Of this run alone: lower-case letters and digits. */
  readonly run: string;
  /** Names of the configured targets: files of others are deleted. */
  readonly targets: Iterable<string>;
  /** A disk that does not answer must not keep the exporter from starting. */
  readonly readMs?: number;
}

export interface LivenessFileDependencies {
  /** Exporter's clock. */
  readonly now: () => number;
  /** Seconds since the machine was booted. */
  readonly sinceBoot: () => number;
  readonly log: Log;
}

/** Of one file. */
const maxBytes = 4096;

export const openLivenessFiles = async (
  { stateDir, run, targets, readMs = 2000 }: LivenessFileOptions,
  { now, sinceBoot, log }: LivenessFileDependencies,
): Promise<LivenessFiles> => {
  const folder = join(stateDir, 'liveness');
  const saved = new Map(await readAll(folder, new Set(targets), readMs, log));
  /** What the file of a target holds, but for its time; of a file that was only read or could not be written, nobody knows. */
  const written = new Map<string, string | undefined>(Array.from(saved.keys(), (name) => [name, unknown]));
  const waiting = new Map<string, Saved | undefined>();
  let working: Promise<void> | undefined;
  let failing = false;

  const work = async (): Promise<void> => {
    for (const [name, record] of waiting) {
      waiting.delete(name);
      try {
        if (record === undefined) await rm(fileOf(folder, name), { force: true });
        else await replace(folder, name, run, `${JSON.stringify(record)}\n`);
        if (failing) log.info({ folder }, 'liveness memory written again');
        failing = false;
      } catch (error) {
        written.set(name, unknown);
        // An old one would say that the node was silent while it answered.
        await rm(fileOf(folder, name), { force: true }).catch(() => undefined);
        if (!failing) log.error({ folder, error: String(error) }, 'liveness memory not written: retrying with each poll');
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
    recall: ({ name, url }) => {
      const found = saved.get(name);
      saved.delete(name);
      return found?.url === url ? memoryOf(found, sinceBoot(), now()) : undefined;
    },
    keep: ({ state: { options }, conditions: { memory } }) => {
      const { name, url } = options;
      const record = savedOf(url, memory.live, sinceBoot() - now());
      const text = JSON.stringify(record);
      if (written.get(name) === text) return Promise.resolve();
      written.set(name, text);
      return change(name, record && { ...record, savedAt: sinceBoot() });
    },
    forget: (name) => {
      written.delete(name);
      return change(name, undefined);
    },
  };
};

const unknown = '';

const fileOf = (folder: string, name: string): string => join(folder, `${name}.json`);

/** At any moment the file is whole, whoever else writes into the folder. */
const replace = async (folder: string, name: string, run: string, text: string): Promise<void> => {
  await makeFolder(folder);
  const next = `${fileOf(folder, name)}.${run}.tmp`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, fileOf(folder, name));
};

type Found = readonly (readonly [name: string, saved: Saved])[];

const readAll = async (folder: string, targets: ReadonlySet<string>, readMs: number, log: Log): Promise<Found> => {
  const enough = new AbortController();
  const late = wait(readMs, [], { signal: enough.signal, ref: false }).catch(() => []);
  const tidied = tidy(folder, targets, log);
  const found = await Promise.race([Promise.all(Array.from(targets, (name) => readOne(fileOf(folder, name), name, log))), late]);
  await Promise.race([tidied, late]);
  enough.abort();
  return found.flat();
};

/** Takes away what is of no configured target, and what a run left half-written that was killed meanwhile. */
const tidy = async (folder: string, targets: ReadonlySet<string>, log: Log): Promise<void> => {
  const there = await readdir(folder).catch(() => []);
  const own = new Set(Array.from(targets, (name) => `${name}.json`));
  const stale = there.filter((file) => file.endsWith('.tmp') || (file.endsWith('.json') && !own.has(file)));
  const ends = await Promise.allSettled(stale.map((file) => rm(join(folder, file), { force: true })));
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed !== undefined) log.warn({ folder }, 'files of an earlier run not deleted');
};

const readOne = async (file: string, name: string, log: Log): Promise<Found> => {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return [[name, schema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)))]];
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isMissing(error)) log.warn({ file }, 'liveness memory of an earlier run unreadable: ignored');
    return [];
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
