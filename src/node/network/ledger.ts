// Opens the stored state: the store, the network's epoch, the verified indexes, and the completeness rules.

import { primaryNetworkId } from '../../protocol/id.ts';
import { type IndexName, indexNames } from '../../protocol/paths.ts';
import { type ContainerIndex, openIndex } from '../index/container-index.ts';
import { type IndexFlags, type IndexMarks, marksAfter, startRefusalOf, unmarked } from '../index/guard.ts';
import { openMemoryStore } from '../index/memory-store.ts';
import { type OpenedStore, type Store, StoreFailure } from '../index/store.ts';
import { InconsistentIndex } from '../index/verify-end.ts';
import { marksEntry, networkEntry, storeFormat } from './records.ts';
import { type ChainShape, simulateChain } from './simulated-chain.ts';

export interface LedgerOptions extends IndexFlags {
  readonly seed: number;
  readonly chains: readonly ChainShape[];
  /** If undefined, the store is in memory. */
  readonly dataDir?: string | undefined;
}

/** Why the node does not start. `index`: a completeness rule; `data-dir`: it is in use, of another network or damaged. */
interface StartRefusal {
  readonly kind: 'refused';
  readonly reason: 'index' | 'data-dir';
  readonly message: string;
}

/** Only the primary network's chains have indexes: the alias of a subnet's chain may be `X`, too. */
export const indexesOf = ({ name, subnetId }: ChainShape): readonly IndexName[] =>
  subnetId === primaryNetworkId ? indexNames.filter((index) => index.startsWith(`${name}/`)) : [];

export const openLedger = async (
  options: LedgerOptions,
  now: number,
  openStore: (dataDir: string | undefined) => Promise<OpenedStore> = openStoreIn,
) => {
  const opened = await openStore(options.dataDir);
  if (opened.kind === 'refused') return { ...opened, reason: 'data-dir' as const };
  const read = await readLedger(options, now, opened.store).catch((error: unknown) => {
    // The operator has to fix a damaged or full data dir.
    if (error instanceof InconsistentIndex || error instanceof StoreFailure) return refusedDataDir(options, error.message);
    throw error;
  });
  if (read.kind === 'refused') {
    await opened.store.close();
    return read;
  }
  return { ...read, damage: opened.damage };
};

/** `remedy`: what else helps. */
const refusedDataDir = ({ dataDir }: LedgerOptions, why: string, remedy = ''): StartRefusal => ({
  kind: 'refused',
  reason: 'data-dir',
  message: `${why}: ${remedy}delete the data dir ${dataDir}, or choose another with --data-dir`,
});

const readLedger = async (options: LedgerOptions, now: number, store: Store) => {
  const known = await networkEntry.read(store);
  const network = known ?? { seed: options.seed, epoch: now, format: storeFormat };
  if (network.format !== storeFormat)
    return refusedDataDir(
      options,
      `the data dir has format ${network.format}, and this version of snowgauge reads only format ${storeFormat}`,
      'run the version that wrote it, ',
    );
  if (network.seed !== options.seed)
    return refusedDataDir(
      options,
      `the data dir belongs to the network of seed ${network.seed}, not ${options.seed}`,
      `start with --seed ${network.seed}, `,
    );

  const marksOf = async (chainId: string): Promise<IndexMarks> => (await marksEntry(chainId).read(store)) ?? unmarked;
  const indexed = options.chains.filter((shape) => indexesOf(shape).length > 0).map(({ id }) => id);
  for (const chainId of indexed) {
    const refusal = startRefusalOf(await marksOf(chainId), options);
    if (refusal !== undefined) return { kind: 'refused' as const, reason: 'index' as const, message: refusal };
  }

  const indexes = new Map<IndexName, ContainerIndex>();
  const names = options.indexEnabled ? options.chains.flatMap(indexesOf) : [];
  for (const name of names) indexes.set(name, await openIndex(store, name));
  if (known === undefined) await store.write([networkEntry.put(network)]);
  return {
    kind: 'ok' as const,
    ledger: {
      store,
      epoch: network.epoch,
      chains: options.chains.map((shape) => simulateChain(options.seed, network.epoch, shape)),
      /** Of all chains; empty if indexing is off. */
      indexes,
      /** Called when a chain is created: from then on its marks reflect this run. */
      mark: async (chainId: string): Promise<void> => {
        if (indexed.includes(chainId)) await store.write([marksEntry(chainId).put(marksAfter(await marksOf(chainId), options))]);
      },
    },
  };
};

/** LevelDB is loaded only if there is a data dir, because it is a native addon. */
const openStoreIn = async (dataDir: string | undefined): Promise<OpenedStore> => {
  if (dataDir === undefined) return { kind: 'ok', store: openMemoryStore() };
  const { openLevelStore } = await import('../index/level-store.ts');
  return openLevelStore(dataDir);
};
