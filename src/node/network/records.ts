// What the store keeps beside the indexes: how far each chain is, its marks, and which network this is. JSON, so that a
// person can read it.

import * as z from 'zod/mini';
import { type IndexMarks, unmarked } from '../index/guard.ts';
import { type Put, type Store, StoreFailure } from '../index/store.ts';

const network = z.object({ seed: z.number(), epoch: z.number(), format: z._default(z.number(), 1) });
const progress = z.object({ height: z.number(), id: z.string() });
const marks = z.object({ indexed: z.boolean(), incomplete: z.boolean() });

/**
 * `epoch`: when the node first started on this store, in seconds since the Unix epoch. `format`: how the store is laid out; the
 * first did not say so.
 */
export type Network = z.infer<typeof network>;

/** The last accepted block. */
export type Progress = z.infer<typeof progress>;

/** The only one that this program reads. */
export const storeFormat = 3;

const networkKey = 'm:network';
const probeKey = 'm:probe';
const progressKey = (chainId: string): string => `c:${chainId}`;
const marksKey = (chainId: string): string => `g:${chainId}`;

const put = (key: string, value: unknown): Put => ({ key, value: Buffer.from(JSON.stringify(value)) });

/** What this node did not write is a failure of the store. */
const read = async <T>(store: Store, key: string, schema: z.ZodMiniType<T>): Promise<T | undefined> => {
  const text = await store.get(key);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text.toString()));
  } catch {
    throw new StoreFailure(`the record ${key} in the data dir is not readable`);
  }
};

export const readNetwork = (store: Store): Promise<Network | undefined> => read(store, networkKey, network);
export const networkPut = (value: Network): Put => put(networkKey, value);

export const readProgress = (store: Store, chainId: string): Promise<Progress | undefined> =>
  read(store, progressKey(chainId), progress);
export const progressPut = (chainId: string, value: Progress): Put => put(progressKey(chainId), value);

export const readMarks = async (store: Store, chainId: string): Promise<IndexMarks> =>
  (await read(store, marksKey(chainId), marks)) ?? unmarked;
export const marksPut = (chainId: string, value: IndexMarks): Put => put(marksKey(chainId), value);

/** Writes and reads back: what the `database` check does. Rejects with the store's own error. */
export const probeStore = async (store: Store, now: number): Promise<void> => {
  const probe = put(probeKey, { now });
  await store.write([probe]);
  const found = await store.get(probeKey);
  if (found === undefined || !found.equals(probe.value)) throw new StoreFailure('the store does not give back what was written');
};
