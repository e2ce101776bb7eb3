// One chain of the node: initializing, then bootstrapping round by round, then following the network's clock.

import { type AcceptanceOptions, startAcceptance } from './acceptance.ts';
import { type ChainFaults, isNamed } from './faults.ts';
import type { SimulatedChain } from './simulated-chain.ts';

/** Status reported by the chain's check and `bootstrapped`. */
export interface ChainStatus {
  /** Name of its check. */
  readonly name: string;
  readonly subnetId: string;
  readonly state: 'initializing' | 'bootstrapping' | 'running';
  readonly lastAcceptedHeight: number;
  /** Time at which the network accepted it, in seconds since the Unix epoch. */
  readonly lastAcceptedAt: number;
  readonly lastAcceptedId: string;
  /** Blocks that the network has accepted and this node has not; 0 unless running. */
  readonly processingBlocks: number;
  /** Age of the oldest of them. */
  readonly longestProcessingSeconds: number;
}

export type LiveChain = Awaited<ReturnType<typeof startLiveChain>>;

/** `blocksPerRound`: blocks accepted per round of bootstrapping. */
export const startLiveChain = async (chain: SimulatedChain, blocksPerRound: number, options: AcceptanceOptions) => {
  const acceptance = await startAcceptance(chain, options);
  let state: ChainStatus['state'] = 'initializing';

  return {
    chain,
    reload: acceptance.reload,
    /** One round. `timestamp`: RFC 3339, for the containers accepted in it. */
    step: async (now: number, timestamp: string, faults: ChainFaults): Promise<void> => {
      const bootstrapsForever = isNamed(faults.bootstrapForever, chain.shape);
      // One round per state, so that both can be observed.
      if (state === 'initializing') {
        state = 'bootstrapping';
        return;
      }
      if (bootstrapsForever) state = 'bootstrapping';
      if (isNamed(faults.stallChain, chain.shape)) return;
      const network = chain.heightAt(now);
      const most = state === 'running' ? network : acceptance.progress().height + blocksPerRound;
      await acceptance.acceptUpTo(Math.min(network, most), timestamp);
      if (acceptance.progress().height >= network && !bootstrapsForever) state = 'running';
    },
    status: (now: number): ChainStatus => {
      const { name, subnetId } = chain.shape;
      const { height, id: lastAcceptedId } = acceptance.progress();
      const processingBlocks = state === 'running' ? Math.max(0, chain.heightAt(now) - height) : 0;
      const longestProcessingSeconds = processingBlocks === 0 ? 0 : Math.max(0, now - chain.acceptedAt(height + 1));
      return {
        name,
        subnetId,
        state,
        lastAcceptedHeight: height,
        lastAcceptedAt: chain.acceptedAt(height),
        lastAcceptedId,
        processingBlocks,
        longestProcessingSeconds,
      };
    },
  };
};
