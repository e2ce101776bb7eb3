// One chain of the node: initializing, then bootstrapping round by round, then following the network's clock.

import type { ContainerIndex } from '../index/container-index.ts';
import type { Store } from '../index/store.ts';
import { startAcceptance } from './acceptance.ts';
import type { SimulatedChain } from './simulated-chain.ts';

/** What the chain's check and `bootstrapped` report. */
export interface ChainStatus {
  /** The name of its check. */
  readonly name: string;
  readonly subnetId: string;
  readonly state: 'initializing' | 'bootstrapping' | 'running';
  readonly lastAcceptedHeight: number;
  readonly lastAcceptedId: string;
  /** Blocks that the network has accepted and this node has not, while running. */
  readonly processingBlocks: number;
  /** How long the oldest of them is waiting. */
  readonly longestProcessingSeconds: number;
}

export interface LiveChainOptions {
  readonly store: Store;
  readonly indexes: readonly ContainerIndex[];
  readonly indexesTransactions: boolean;
  readonly blocksPerRound: number;
  readonly signal: AbortSignal;
}

export interface Round {
  readonly now: number;
  /** RFC 3339, for what is accepted in this round. */
  readonly timestamp: string;
  /** The chain accepts nothing. */
  readonly isStuck: boolean;
  /** The chain never finishes bootstrapping, or begins it anew. */
  readonly bootstrapsForEver: boolean;
}

export interface LiveChain {
  readonly chain: SimulatedChain;
  readonly state: () => ChainStatus['state'];
  readonly height: () => number;
  readonly status: (now: number) => ChainStatus;
  /** True from the first time on that it has caught up with the network. */
  readonly hasBootstrapped: () => boolean;
  readonly step: (round: Round) => Promise<void>;
  readonly reload: () => Promise<void>;
}

/** Batched like bootstrapping, when the node has fallen behind the network by more blocks than this. */
const blocksBehind = 64;
/** Drawing them takes about 50 ms, in which the node answers nobody. */
const blocksPerWrite = 256;

export const startLiveChain = async (chain: SimulatedChain, options: LiveChainOptions): Promise<LiveChain> => {
  const acceptance = await startAcceptance(chain, options);
  let state: ChainStatus['state'] = 'initializing';
  let hasBootstrapped = false;

  const step = async ({ now, timestamp, isStuck, bootstrapsForEver }: Round): Promise<void> => {
    // One round in each state, so that both can be seen.
    if (state === 'initializing') {
      state = 'bootstrapping';
      return;
    }
    if (state === 'running' && bootstrapsForEver) state = 'bootstrapping';
    if (isStuck) return;
    const network = chain.heightAt(now);
    const { height } = acceptance.progress();
    if (state === 'bootstrapping') {
      await acceptance.acceptUpTo(Math.min(network, height + options.blocksPerRound), blocksPerWrite, timestamp);
      if (acceptance.progress().height < network || bootstrapsForEver) return;
      state = 'running';
      hasBootstrapped = true;
    } else await acceptance.acceptUpTo(network, network - height > blocksBehind ? blocksPerWrite : 1, timestamp);
  };

  return {
    chain,
    state: () => state,
    height: () => acceptance.progress().height,
    hasBootstrapped: () => hasBootstrapped,
    step,
    reload: acceptance.reload,
    status: (now) => {
      const { name, subnetId } = chain.shape;
      const { height, id: lastAcceptedId } = acceptance.progress();
      const processingBlocks = state === 'running' ? Math.max(0, chain.heightAt(now) - height) : 0;
      return {
        name,
        subnetId,
        state,
        lastAcceptedHeight: height,
        lastAcceptedId,
        processingBlocks,
        longestProcessingSeconds: processingBlocks === 0 ? 0 : Math.max(0, now - chain.acceptedAt(height + 1)),
      };
    },
  };
};
