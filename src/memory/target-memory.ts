// Facts about each node that stay valid while its address is the same, by the name of its target. Each kind of fact has its own file.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { countedBy } from '../client/bounds.ts';
import type { Target } from '../conditions/condition.ts';
import type { Log } from '../log.ts';
import { storedUrl } from '../protocol/node-url.ts';
import type { StateGuard } from './guard.ts';
import { type StateFileOptions, stateFile } from './state-file.ts';

export interface TargetMemory<T> {
  /** Facts from this run or an earlier one. */
  readonly recall: (target: { readonly name: string; readonly url: string }) => readonly T[];
  /** Saves the facts after a poll. Resolves when they are on disk, or could not be written; never rejects. */
  readonly keep: (target: Target) => Promise<unknown>;
  /** The target was removed: a later target with its name is another node. Resolves like `keep`. */
  readonly forget: (name: string) => Promise<unknown>;
  /** See `StateFile`. */
  readonly renew: () => Promise<unknown>;
}

export interface TargetMemoryOptions {
  readonly stateDir: string;
  /** Names of the configured targets. Facts of others are dropped. */
  readonly targets: Iterable<string>;
  readonly guard?: StateGuard | undefined;
}

interface Saved<T> {
  readonly url: string;
  readonly known: readonly T[];
}

/** `of`: the facts to save; undefined: none. */
interface Kind<T> extends Pick<StateFileOptions<unknown>, 'name' | 'what' | 'maxBytes'> {
  readonly schema: z.ZodMiniType<T>;
  readonly of: (target: Target) => readonly T[] | undefined;
}

export const openTargetMemory = async <T>(
  { name: file, what, maxBytes, schema, of }: Kind<T>,
  { stateDir, targets, guard }: TargetMemoryOptions,
  log: Log,
): Promise<TargetMemory<T>> => {
  const configured = new Set(targets);
  const maxValues = valuesOfEach * Math.max(configured.size, minTargets);
  /** Invalid entries of one target do not affect the others. */
  const readAll = (targets: z.output<typeof all>): ReadonlyMap<string, Saved<T>> => {
    const read = new Map(Object.entries(targets).map(([name, json]) => [name, readOne(schema, json)] as const));
    const damaged = [...read].flatMap(([name, { isWhole }]) => (isWhole ? [] : [name]));
    if (damaged.length > 0)
      log.warn(
        { file: join(stateDir, file), targets: damaged.slice(0, maxNamed) },
        `${what} of an earlier run unreadable: ignored`,
      );
    return new Map(Array.from(read, ([name, { saved }]) => [name, saved]));
  };
  const disk = stateFile<ReadonlyMap<string, Saved<T>>>({
    ...{ stateDir, name: file, what, version: 1, maxBytes, maxValues, guard, log },
    none: new Map(),
    // In version 0, the names of the targets were the top-level keys.
    parse: (json, version) => readAll(version === 0 ? all.parse(json) : versioned.parse(json).targets),
    json: (known) => ({ targets: Object.fromEntries(known) }),
  });
  const saved = await disk.read();
  const kept = new Map([...saved].filter(([name]) => configured.has(name)));
  const recall: TargetMemory<T>['recall'] = ({ name, url }) => {
    const known = kept.get(name);
    return known?.url === storedUrl(url) ? known.known : [];
  };
  return {
    recall,
    keep: async (target) => {
      const { options } = target.state;
      const known = of(target);
      if (known === undefined || isDeepStrictEqual(known, recall(options)) || isTooMuch(known)) return;
      kept.set(options.name, { url: storedUrl(options.url), known: [...known] });
      await disk.write(kept);
    },
    forget: async (name) => {
      if (kept.delete(name)) await disk.write(kept);
    },
    renew: disk.renew,
  };
};

const all = z.record(z.string(), z.unknown());
const versioned = z.strictObject({ version: z.number(), targets: all });
const one = z.strictObject({ url: z.string(), known: z.array(z.unknown()) });

/** Limits per target, so that no node can make the file too large to read. Fifty subnets with a dozen chains each are below them. */
const [bytesOfEach, valuesOfEach] = [64 * 1024, 1000];

/** The limits allow at least this many targets, because an earlier run may have had more than this one. A sidecar's heap can hold them. */
const minTargets = 200;

const isTooMuch = (known: readonly unknown[]): boolean => {
  const bytes = Buffer.from(JSON.stringify(known));
  const bounds = { depth: 8, values: valuesOfEach - 10, name: 1024, names: 100, checks: Number.POSITIVE_INFINITY };
  return bytes.length > bytesOfEach || countedBy(bounds).take(bytes) !== undefined;
};

/** Maximum number of targets in a log line. */
const maxNamed = 20;

/** Parses each entry separately: a schema for all of them would create an error per invalid entry, which could fill the heap. */
const readOne = <T>(schema: z.ZodMiniType<T>, json: unknown): { readonly saved: Saved<T>; readonly isWhole: boolean } => {
  const { data } = one.safeParse(json);
  if (data === undefined) return { saved: { url: '', known: [] }, isWhole: false };
  const known = data.known.flatMap((entry): readonly T[] => {
    const read = schema.safeParse(entry);
    return read.success ? [read.data] : [];
  });
  return { saved: { url: data.url, known }, isWhole: known.length === data.known.length };
};
