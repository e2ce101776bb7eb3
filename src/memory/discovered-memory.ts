// Saves which discovered targets have accepted a connection, to distinguish targets that are down when snowgauge starts from nodes that were
// never reachable.

import * as z from 'zod/mini';
import type { Log } from '../log.ts';
import { maxTargetNameLength } from '../text.ts';
import type { StateGuard } from './guard.ts';
import { stateFile } from './state-file.ts';

export interface DiscoveredMemory {
  /** Whether an earlier run watched the target. */
  readonly has: (name: string) => boolean;
  /** Saves the targets that accept connections. `isWhole`: the list is complete, so others are dropped. Never rejects. */
  readonly keep: (names: readonly string[], isWhole: boolean) => Promise<unknown>;
  /** See `StateFile`. */
  readonly renew: () => Promise<unknown>;
}

interface Options {
  readonly stateDir: string;
  readonly guard?: StateGuard | undefined;
}

/** Room for the maximum number of targets of a source, with the longest names. */
const maxTargets = 20_000;
const maxBytes = 8 * 1024 * 1024;
const maxValues = maxTargets + 10;
const schema = z.strictObject({
  version: z.exactOptional(z.number()),
  targets: z.array(z.string().check(z.maxLength(maxTargetNameLength))).check(z.maxLength(maxTargets)),
});

export const openDiscoveredMemory = async ({ stateDir, guard }: Options, log: Log): Promise<DiscoveredMemory> => {
  const disk = stateFile<readonly string[]>({
    ...{ stateDir, name: 'discovered.json', what: 'discovered targets', version: 1, maxBytes, maxValues, guard, log },
    none: [],
    parse: (json) => schema.parse(json).targets,
    json: (targets) => ({ targets }),
  });
  let known: ReadonlySet<string> = new Set(await disk.read());
  return {
    has: (name) => known.has(name),
    keep: async (names, isWhole) => {
      // While a source fails, only the targets that were not discovered for the longest time are dropped.
      const all = new Set([...names, ...(isWhole ? [] : known)]);
      const next = new Set([...all].slice(0, maxTargets));
      if (next.size === known.size && names.every((name) => known.has(name))) return;
      known = next;
      await disk.write([...next]);
    },
    renew: disk.renew,
  };
};
