// Effects of faults on the chains and their indexes. The node keeps accepting and storing what a fault does not stop, so that
// nothing is lost when it ends.

import type { IndexName } from '../../protocol/paths.ts';
import type { Dialect } from '../dialect.ts';
import type { ContainerIndex } from '../index/container-index.ts';
import { indexService } from '../index/service.ts';
import { indexViewOf } from '../index/view.ts';
import type { ChainShape } from './simulated-chain.ts';

/** All active faults. Chains are named by name, id or subnet id. */
export interface ChainFaults {
  /** Chains that never finish bootstrapping. */
  readonly bootstrapForever: readonly string[];
  /** Chains that accept nothing, while the network continues. */
  readonly stallChain: readonly string[];
  /** Indexes that show nothing new, while their chain continues. */
  readonly stallIndex: readonly IndexName[];
  /** Indexes that lose the next container: one per start of the fault. */
  readonly loseContainer: readonly IndexName[];
}

export const noFaults: ChainFaults = { bootstrapForever: [], stallChain: [], stallIndex: [], loseContainer: [] };

export const isNamed = (names: readonly string[], { name, id, subnetId }: ChainShape): boolean =>
  [name, id, subnetId].some((text) => names.includes(text));

/** The indexes as clients see them under the current faults. */
export const showIndexes = (indexes: ReadonlyMap<IndexName, ContainerIndex>, dialect: Dialect) => {
  const views = new Map([...indexes].map(([name, index]) => [name, indexViewOf(index)]));
  const services = new Map([...views].map(([name, view]) => [name, indexService(view, dialect)]));
  return {
    service: (name: IndexName) => services.get(name),
    setFaults: (faults: ChainFaults): void => {
      for (const [name, view] of views) view.setFaults(faults.stallIndex.includes(name), faults.loseContainer.includes(name));
    },
  };
};
