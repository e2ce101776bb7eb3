// Accepts the blocks of one chain: each with its index entries and the chain's own height in one write, so that a crash
// cannot separate them.

import { addAll } from '../../lists.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Appended, ContainerIndex } from '../index/container-index.ts';
import type { Put, Store } from '../index/store.ts';
import { type AcceptedContainer, hashedContainer } from '../index/stored-container.ts';
import { type ChainProgress, progressEntry } from './records.ts';
import { blockId, type SimulatedChain } from './simulated-chain.ts';

export interface AcceptanceOptions {
  readonly store: Store;
  /** Indexes of this chain; empty if indexing is off. */
  readonly indexes: readonly ContainerIndex[];
  /** X/tx has the transactions of every block; else only those of the vertices. */
  readonly indexesTransactions: boolean;
  readonly signal: AbortSignal;
}

/** Generating them takes about 50 ms, in which the node serves no requests. */
export const blocksPerWrite = 256;

interface Draft {
  readonly puts: readonly Put[];
  readonly progress: ChainProgress;
  readonly appended: readonly Appended[];
}

export const startAcceptance = async (chain: SimulatedChain, options: AcceptanceOptions) => {
  const { store, indexes, signal } = options;
  const saved = progressEntry(chain.shape.id);
  const load = async (): Promise<ChainProgress> => (await saved.read(store)) ?? { height: 0, id: blockId(chain, 0) };
  let progress = await load();

  const draft = (first: number, last: number, timestamp: string): Draft => {
    const accepted = drawBlocks(chain, first, last, options);
    const appended = indexes.map((index) => index.append(accepted.containers.get(index.name) ?? [], timestamp));
    const next = { height: last, id: accepted.lastId };
    return { puts: [...appended.flatMap(({ puts }) => puts), saved.put(next)], progress: next, appended };
  };

  return {
    progress: (): ChainProgress => progress,
    /**
     * Accepts blocks up to `height`; the next ones are generated during a write. Stops early when the signal aborts. After a
     * StoreFailure it must be reloaded, after its indexes.
     */
    acceptUpTo: async (height: number, timestamp: string): Promise<void> => {
      const draftAfter = (before: number): Draft | undefined =>
        before < height && !signal.aborted ? draft(before + 1, Math.min(height, before + blocksPerWrite), timestamp) : undefined;
      let current = draftAfter(progress.height);
      while (current !== undefined) {
        const written = store.write(current.puts);
        const following = draftAfter(current.progress.height);
        await written;
        for (const append of current.appended) append.written();
        progress = current.progress;
        current = following;
        // A store in memory writes without waiting: clients must not wait for the whole history.
        await yieldToEventLoop();
      }
    },
    reload: async (): Promise<void> => {
      progress = await load();
    },
  };
};

/** Containers of the blocks of heights `first` to `last`, in order of acceptance. */
const drawBlocks = (
  chain: SimulatedChain,
  first: number,
  last: number,
  { indexes, indexesTransactions }: AcceptanceOptions,
): { readonly containers: ReadonlyMap<IndexName, readonly AcceptedContainer[]>; readonly lastId: string } => {
  if (indexes.length === 0) return { containers: new Map(), lastId: blockId(chain, last) };
  const blocks: AcceptedContainer[] = [];
  const vertices: AcceptedContainer[] = [];
  const transactions: AcceptedContainer[] = [];
  for (let height = first; height <= last; height += 1) {
    const block = chain.block(height);
    blocks.push(hashedContainer(block.bytes));
    const isHistorical = height <= chain.vertices;
    if (isHistorical) vertices.push(hashedContainer(chain.vertex(height)));
    if (isHistorical || indexesTransactions) addAll(transactions, block.transactions.map(hashedContainer));
  }
  const containersOf = (name: IndexName): readonly AcceptedContainer[] => {
    if (name === 'X/tx') return transactions;
    return name === 'X/vtx' ? vertices : blocks;
  };
  return { containers: new Map(indexes.map(({ name }) => [name, containersOf(name)])), lastId: blocks.at(-1)?.id ?? '' };
};
