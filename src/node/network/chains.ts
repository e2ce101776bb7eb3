// The chains that the node accepts: P appears first and the others once it has bootstrapped; all bootstrap in rounds and then
// follow the network's clock.

import type { Log } from '../../log.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Dialect } from '../dialect.ts';
import { indexService } from '../index/service.ts';
import { type OpenedStore, StoreFailure } from '../index/store.ts';
import { viewOf } from '../index/view.ts';
import type { RpcService } from '../rpc-server.ts';
import { acceptanceClock } from './acceptance-clock.ts';
import { bendViews, type ChainFaults, names, noFaults } from './faults.ts';
import { indexesOf, type LedgerOptions, openLedger, type Refused } from './ledger.ts';
import { type ChainStatus, type LiveChain, startLiveChain } from './live-chain.ts';
import { probeStore } from './records.ts';
import { drive, inTurn } from './rounds.ts';

export interface ChainsOptions extends LedgerOptions {
  readonly dialect: Dialect;
  /** Of the timestamps, in minutes; 0 (the default) writes `Z`. */
  readonly utcOffsetMinutes?: number;
  /** How a chain bootstraps: blocks in one round, and the pause between two rounds. */
  readonly bootstrap?: { readonly blocksPerRound: number; readonly pauseSeconds: number };
  /** A timer calls tick (the default), or nobody does but the caller. */
  readonly hasTimer?: boolean;
}

export interface ChainsEffects {
  /** Seconds since the Unix epoch, as the network has it. */
  readonly now: () => number;
  /** What this node's own clock says at a time of the network's; the same unless given. */
  readonly clock?: (at: number) => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** For drills: a store that fails. */
  readonly openStore?: (dataDir: string | undefined) => Promise<OpenedStore>;
}

export interface Chains {
  /** Only the chains that exist by now. */
  readonly statuses: () => readonly ChainStatus[];
  /** One round: creates chains and accepts what the network has accepted by `now`. Rounds never overlap. */
  readonly tick: (now: number) => Promise<void>;
  /** undefined, so 404: the index is off, or its chain does not exist yet. */
  readonly indexService: (name: IndexName) => RpcService<'index'> | undefined;
  /** Writes to the store and reads it: the `database` check. Rejects with a StoreFailure. */
  readonly checkDatabase: () => Promise<void>;
  readonly setFaults: (faults: ChainFaults) => void;
  /** Ends the timer and the round under way, then closes the store. */
  readonly close: () => Promise<void>;
}

const defaultBootstrap = { blocksPerRound: 8 * 1024, pauseSeconds: 0 };

/** Between two tries to write again after the store has failed. */
const retrySeconds = 1;

export const startChains = async (
  options: ChainsOptions,
  { now, clock = (at) => at, log, signal, openStore }: ChainsEffects,
): Promise<Refused | { readonly kind: 'ok'; readonly chains: Chains }> => {
  const opened = await openLedger(options, now(), openStore);
  if (opened.kind === 'refused') return opened;
  const { store, chains: network, indexes, mark } = opened.ledger;
  const { blocksPerRound, pauseSeconds } = options.bootstrap ?? defaultBootstrap;
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);

  const views = new Map([...indexes].map(([name, index]) => [name, viewOf(index)] as const));
  const services = new Map([...views].map(([name, view]) => [name, indexService(view, options.dialect)] as const));
  const timestampAt = acceptanceClock(clock, options.utcOffsetMinutes ?? 0);
  const live: LiveChain[] = [];
  let faults = noFaults;
  let tickedAt = Number.NEGATIVE_INFINITY;
  let retryAt: number | undefined;

  const createChains = async (): Promise<void> => {
    const p = network.find(({ shape }) => shape.name === 'P');
    const isPWaitedFor = p !== undefined && live.find(({ chain }) => chain === p)?.hasBootstrapped() !== true;
    for (const chain of network) {
      if (live.some((other) => other.chain === chain) || (isPWaitedFor && chain !== p)) continue;
      await mark(chain.shape.id);
      const own = indexesOf(chain.shape).flatMap((name) => indexes.get(name) ?? []);
      const indexesTransactions = options.dialect === 'documented';
      live.push(await startLiveChain(chain, { store, indexes: own, indexesTransactions, blocksPerRound, signal: ended }));
      log.info({ chain: chain.shape.name, height: live.at(-1)?.height() }, 'chain created');
    }
  };

  const round = async (at: number): Promise<void> => {
    await createChains();
    for (const each of live) {
      const before = each.state();
      const isStuck = names(faults.stallChain, each.chain.shape);
      const bootstrapsForEver = names(faults.bootstrapForever, each.chain.shape);
      await each.step({ now: at, timestamp: timestampAt(at), isStuck, bootstrapsForEver });
      const state = each.state();
      if (state !== before) log.info({ chain: each.chain.shape.name, height: each.height() }, `chain is ${state}`);
    }
  };

  const recover = async (): Promise<void> => {
    await store.recover();
    for (const each of live) await each.reload();
    log.info({}, 'store writable again: accepting blocks');
  };

  const stopAccepting = (failure: unknown, at: number): void => {
    if (!(failure instanceof StoreFailure)) throw failure;
    if (retryAt === undefined) log.error({ error: failure.message }, 'store not writable: accepting no blocks');
    retryAt = at + retrySeconds;
  };

  const tick = inTurn(async (at: number): Promise<void> => {
    // Of close(), too, which only waits for its turn.
    if (ended.aborted) return;
    tickedAt = Math.max(tickedAt, at);
    if (retryAt !== undefined && at < retryAt) return;
    try {
      if (retryAt !== undefined) await recover();
      retryAt = undefined;
      await round(at);
    } catch (error) {
      stopAccepting(error, at);
    }
  });

  const driven = options.hasTimer === false ? Promise.resolve() : drive(tick, now, ended, () => pauseOf(live, pauseSeconds));

  return {
    kind: 'ok',
    chains: {
      statuses: () => live.map((each) => each.status(tickedAt)),
      tick,
      indexService: (name) => (live.some(({ chain }) => indexesOf(chain.shape).includes(name)) ? services.get(name) : undefined),
      checkDatabase: async () => {
        try {
          await probeStore(store, now());
        } catch (error) {
          stopAccepting(error, now());
          throw error;
        }
      },
      setFaults: (next) => {
        bendViews(views, faults, next);
        faults = next;
      },
      close: async () => {
        closing.abort();
        await driven;
        // Its turn comes after the round under way, and then it does nothing.
        await tick(tickedAt);
        await store.close();
      },
    },
  };
};

const idleSeconds = 0.1;

const pauseOf = (live: readonly LiveChain[], bootstrapSeconds: number): number =>
  live.every((each) => each.state() === 'running') ? idleSeconds : bootstrapSeconds;
