// Which indexes each node has served, for `indexes: auto`: one that was on is watched, whoever has been restarted since.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Target } from '../conditions/condition.ts';
import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { type IndexName, indexNames } from '../protocol/paths.ts';
import { stateFile } from './state-file.ts';

export interface IndexMemory {
  /** Those that the node has served, as far as this run or an earlier one has seen. */
  readonly recall: (target: { readonly name: string; readonly url: string }) => readonly IndexName[];
  /** Takes what is known after a poll. Resolves once it is on disk, or could not be written; never rejects. */
  readonly keep: (target: Target) => Promise<unknown>;
  /** The target is configured no more: what comes back under its name later is another one. Resolves as `keep`. */
  readonly forget: (name: string) => Promise<unknown>;
}

export interface IndexMemoryOptions {
  readonly stateDir: string;
  /** Of this run alone: lower-case letters and digits. */
  readonly run: string;
  /** Names of the configured targets: those of others are forgotten. */
  readonly targets: Iterable<string>;
  /** A disk that does not answer must not keep the exporter from starting. */
  readonly readMs?: number;
}

const schema = z.record(z.string(), z.strictObject({ url: z.string(), indexes: z.array(z.enum(indexNames)) }));
type Served = { readonly url: string; readonly indexes: readonly IndexName[] };

/** Ten thousand targets. */
const maxBytes = 4 * 1024 * 1024;

export const openIndexMemory = async (
  { stateDir, run, targets, readMs = 2000 }: IndexMemoryOptions,
  log: Log,
): Promise<IndexMemory> => {
  const file = stateFile<ReadonlyMap<string, Served>>({
    stateDir,
    name: 'indexes.json',
    run,
    what: 'indexes that were on',
    maxBytes,
    none: new Map(),
    parse: (json) => new Map(Object.entries(schema.parse(json))),
    json: (served) => Object.fromEntries(served),
    log,
  });
  const saved = await within(file.read(), readMs / 1000);
  const configured = new Set(targets);
  const served = new Map([...(saved ?? [])].filter(([name]) => configured.has(name)));
  const recall: IndexMemory['recall'] = ({ name, url }) => {
    const known = served.get(name);
    return known?.url === url ? known.indexes : [];
  };
  return {
    recall,
    keep: async ({ state: { options, sources } }) => {
      if (options.indexes !== 'auto') return;
      const indexes = [...sources.indexes.watched].flatMap(([index, { wasOn }]) => (wasOn ? [index] : []));
      if (isDeepStrictEqual(indexes, recall(options))) return;
      served.set(options.name, { url: options.url, indexes });
      await file.write(served);
    },
    forget: async (name) => {
      if (served.delete(name)) await file.write(served);
    },
  };
};
