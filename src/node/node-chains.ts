// The chains over the node's restarts: a store in memory outlives them, as one on disk does.

import type { Log } from '../log.ts';
import { openMemoryStore } from './index/memory-store.ts';
import { type Chains, startChains } from './network/chains.ts';
import { type ChainFaults, noFaults } from './network/faults.ts';
import type { NodeOptions } from './options.ts';
import type { PlannedChain } from './scenario.ts';

export interface NodeChainsOptions {
  readonly options: NodeOptions;
  readonly seed: number;
  readonly planned: readonly PlannedChain[];
  readonly utcOffsetMinutes: number;
  readonly hasTimers: boolean;
}

export interface NodeChainsEffects {
  /** Seconds since the Unix epoch, as the network has it. */
  readonly now: () => number;
  /** What this node's own clock says at a time of the network's. */
  readonly clock: (at: number) => number;
  readonly log: Log;
}

export interface NodeChains {
  readonly kind: 'ok';
  readonly current: () => Chains;
  readonly setFaults: (faults: ChainFaults) => void;
  /** Stops the chains and starts them again from what they have stored. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const startNodeChains = async (
  { options, seed, planned, utcOffsetMinutes, hasTimers }: NodeChainsOptions,
  { now, clock, log }: NodeChainsEffects,
): Promise<NodeChains | { readonly kind: 'refused'; readonly message: string; readonly exitCode: number }> => {
  const memory = openMemoryStore();
  const { dataDir, dialect, indexEnabled, indexAllowIncomplete } = options;
  // Ended by close, not by the process' signal: a node that stops still answers for a while.
  const ended = new AbortController();
  const start = () =>
    startChains(
      {
        seed,
        // A chain without its VM is never created: it has a check and nothing else.
        chains: planned.filter(({ vmMissing }) => !vmMissing),
        dialect,
        indexEnabled,
        indexAllowIncomplete,
        utcOffsetMinutes,
        hasTimer: hasTimers,
        ...(dataDir !== undefined && { dataDir }),
      },
      {
        now,
        clock,
        log,
        signal: ended.signal,
        ...(dataDir === undefined && { openStore: async () => ({ kind: 'ok', store: memory }) as const }),
      },
    );
  const first = await start();
  // A real node says it in its log and ends as if all were well.
  if (first.kind === 'refused')
    return { kind: 'refused', message: first.message, exitCode: dialect === 'avalanchego' && first.reason === 'index' ? 0 : 1 };
  let chains = first.chains;
  let faults = noFaults;
  return {
    kind: 'ok',
    current: () => chains,
    setFaults: (next) => {
      faults = next;
      chains.setFaults(next);
    },
    restart: async () => {
      await chains.close();
      const again = await start();
      // Nothing but this node has touched the store since.
      if (again.kind === 'refused') throw new Error(`the restarted node refuses: ${again.message}`);
      chains = again.chains;
      chains.setFaults(faults);
    },
    close: async () => {
      await chains.close();
      ended.abort();
    },
  };
};
