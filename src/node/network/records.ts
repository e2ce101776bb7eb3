// Records in the store besides the indexes: progress and marks of each chain, and the network. JSON, so that a
// person can read it.

import * as z from 'zod/mini';
import type { IndexMarks } from '../index/guard.ts';
import { type Put, type Store, StoreFailure } from '../index/store.ts';

/** Version of the store's layout that this program reads. */
export const storeFormat = 3;

/** One JSON value in the store. */
const entry = <T>(key: string, schema: z.ZodMiniType<T>) => ({
  put: (value: T): Put => ({ key, value: Buffer.from(JSON.stringify(value)) }),
  /** A record that this node did not write is a StoreFailure. */
  read: async (store: Store): Promise<T | undefined> => {
    const text = await store.get(key);
    if (text === undefined) return undefined;
    try {
      return schema.parse(JSON.parse(text.toString()));
    } catch {
      throw new StoreFailure(`the record ${key} in the data dir is not readable`);
    }
  },
});

/** `epoch`: first start of the node on this store, in seconds since the Unix epoch. The first format had no `format`. */
export const networkEntry = entry(
  'm:network',
  z.object({ seed: z.number(), epoch: z.number(), format: z._default(z.number(), 1) }),
);

/** The last accepted block. */
const progress = z.object({ height: z.number(), id: z.string() });
export type ChainProgress = z.infer<typeof progress>;
export const progressEntry = (chainId: string) => entry(`c:${chainId}`, progress);

const marks: z.ZodMiniType<IndexMarks> = z.object({ indexed: z.boolean(), incomplete: z.boolean() });
export const marksEntry = (chainId: string) => entry(`g:${chainId}`, marks);

/** Writes a record and reads it back, for the `database` check. Rejects with the store's own error. */
export const probeStore = async (store: Store, now: number): Promise<void> => {
  const probe = entry('m:probe', z.object({ now: z.number() })).put({ now });
  await store.write([probe]);
  const found = await store.get(probe.key);
  if (found === undefined || !found.equals(probe.value)) throw new StoreFailure('the store does not give back what was written');
};
