// What a drill does to the chains and their indexes. The node keeps accepting and storing what a fault does not stop, so that
// nothing is lost when it is over.

import type { IndexName } from '../../protocol/paths.ts';
import type { IndexView } from '../index/view.ts';
import type { ChainShape } from './simulated-chain.ts';

/** All that are wrong now; what is not listed is well. Chains are named by name or id. */
export interface ChainFaults {
  /** Chains, or subnets by their id, that never finish bootstrapping. */
  readonly bootstrapForever: readonly string[];
  /** Chains that accept nothing, while the network goes on. */
  readonly stallChain: readonly string[];
  /** Indexes that show nothing new, while their chain goes on. */
  readonly stallIndex: readonly IndexName[];
  /** Indexes that lose the next container: one each time that the fault begins. */
  readonly loseContainer: readonly IndexName[];
}

export const noFaults: ChainFaults = { bootstrapForever: [], stallChain: [], stallIndex: [], loseContainer: [] };

export const names = (listed: readonly string[], { name, id, subnetId }: ChainShape): boolean =>
  listed.some((text) => text === name || text === id || text === subnetId);

/** Brings the views to what `after` says of them. */
export const bendViews = (views: ReadonlyMap<IndexName, IndexView>, before: ChainFaults, after: ChainFaults): void => {
  for (const [name, view] of views) {
    view.stall(after.stallIndex.includes(name));
    if (after.loseContainer.includes(name) && !before.loseContainer.includes(name)) view.loseNext();
  }
};
