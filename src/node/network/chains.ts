// The chains that the node accepts: P appears first and the others once it has bootstrapped; all bootstrap in rounds and then
// follow the network's clock.

import type { Log } from '../../log.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { formatInstant } from '../../protocol/time.ts';
import { nanosecondsOf } from '../clock.ts';
import type { Dialect } from '../dialect.ts';
import { type OpenedStore, StoreFailure } from '../index/store.ts';
import { createQueue } from '../timers.ts';
import { type ChainFaults, noFaults, showIndexes } from './faults.ts';
import { indexesOf, type LedgerOptions, openLedger } from './ledger.ts';
import { type ChainStatus, type LiveChain, startLiveChain } from './live-chain.ts';
import { probeStore } from './records.ts';

export interface ChainsOptions extends LedgerOptions {
  readonly dialect: Dialect;
  readonly utcOffsetMinutes: number;
  /** Accepted in one round of bootstrapping. */
  readonly blocksPerRound?: number;
}

export interface ChainsEffects {
  /** Seconds since the Unix epoch, as the network has it. */
  readonly now: () => number;
  /** What this node's own clock says at a time of the network's; the same unless given. */
  readonly clock?: (at: number) => number;
  readonly log: Log;
  /** For tests: a store that fails. */
  readonly openStore?: (dataDir: string | undefined) => Promise<OpenedStore>;
}

export type Chains = Extract<Awaited<ReturnType<typeof startChains>>, { readonly kind: 'ok' }>['chains'];

/** Between two tries to write again after the store has failed. */
const retrySeconds = 1;

export const startChains = async (options: ChainsOptions, { now, clock = (at) => at, log, openStore }: ChainsEffects) => {
  const { dialect, utcOffsetMinutes, blocksPerRound = 8 * 1024 } = options;
  const opened = await openLedger(options, now(), openStore);
  if (opened.kind === 'refused') return opened;
  if (opened.damage !== undefined) log.warn({ dataDir: options.dataDir }, `the data dir is damaged: ${opened.damage}`);
  const { store, epoch, chains: network, indexes, mark } = opened.ledger;
  const closing = new AbortController();
  const takeTurn = createQueue();

  let shown = showIndexes(indexes, dialect);
  let live: LiveChain[] = [];
  let faults = noFaults;
  let tickedAt = Number.NEGATIVE_INFINITY;
  let retryAt: number | undefined;

  const createChains = async (): Promise<void> => {
    const hasP = network.some(({ shape }) => shape.name === 'P');
    const isPRunning = live.some(({ chain, status }) => chain.shape.name === 'P' && status(tickedAt).state === 'running');
    for (const chain of network) {
      const { name, id } = chain.shape;
      if (live.some((other) => other.chain === chain) || (name !== 'P' && hasP && !isPRunning)) continue;
      await mark(id);
      const own = indexesOf(chain.shape).flatMap((index) => indexes.get(index) ?? []);
      const accepting = { store, indexes: own, indexesTransactions: dialect === 'documented', signal: closing.signal };
      const created = await startLiveChain(chain, blocksPerRound, accepting);
      live.push(created);
      log.info({ chain: name, height: created.status(tickedAt).lastAcceptedHeight }, 'chain created');
    }
  };

  const runRound = async (at: number): Promise<void> => {
    await createChains();
    const timestamp = formatInstant(nanosecondsOf(clock(at)), utcOffsetMinutes);
    for (const { status, step } of live) {
      const before = status(at).state;
      await step(at, timestamp, faults);
      const { name, state, lastAcceptedHeight: height } = status(at);
      if (state !== before) log.info({ chain: name, height }, `chain is ${state}`);
    }
  };

  const recover = async (): Promise<void> => {
    await store.recover();
    for (const index of indexes.values()) await index.reload();
    for (const each of live) await each.reload();
    log.info({}, 'store writable again: accepting blocks');
  };

  const stopAccepting = (failure: unknown, at: number): void => {
    if (!(failure instanceof StoreFailure)) throw failure;
    if (retryAt === undefined) log.error({ error: failure.message }, 'store not writable: accepting no blocks');
    retryAt = at + retrySeconds;
  };

  /** One round: creates chains and accepts what the network has accepted by `at`. Rounds never overlap. */
  const tick = (at: number): Promise<void> =>
    takeTurn(async () => {
      if (closing.signal.aborted) return;
      tickedAt = Math.max(tickedAt, at);
      if (retryAt !== undefined && at < retryAt) return;
      try {
        if (retryAt !== undefined) await recover();
        retryAt = undefined;
        await runRound(at);
      } catch (error) {
        stopAccepting(error, at);
      }
    });

  const chains = {
    /** When the node first started on its store, in seconds since the Unix epoch. */
    epoch,
    /** Only the chains that exist by now. */
    statuses: (): readonly ChainStatus[] => live.map((each) => each.status(tickedAt)),
    tick,
    /** undefined, so 404: the index is off, or its chain does not exist yet. */
    indexService: (name: IndexName) =>
      live.some(({ chain }) => indexesOf(chain.shape).includes(name)) ? shown.service(name) : undefined,
    /** Writes to the store and reads it: the `database` check. Rejects with a StoreFailure. */
    checkDatabase: async (): Promise<void> => {
      try {
        await probeStore(store, now());
      } catch (error) {
        stopAccepting(error, now());
        throw error;
      }
    },
    setFaults: (next: ChainFaults): void => {
      faults = next;
      shown.setFaults(next);
    },
    /** As a node that starts again on the same store: the chains are created and bootstrap again. */
    restart: (): Promise<void> =>
      takeTurn(async () => {
        live = [];
        shown = showIndexes(indexes, dialect);
        shown.setFaults(faults);
      }),
    /** Ends the round under way, then closes the store. */
    close: async (): Promise<void> => {
      closing.abort();
      await takeTurn(() => store.close());
    },
  };
  return { kind: 'ok' as const, chains };
};
