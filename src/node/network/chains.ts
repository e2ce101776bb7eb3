// The node's chains: P is created first, and the others once it has bootstrapped; all bootstrap in rounds and then
// follow the network's clock.

import type { Log } from '../../log.ts';
import { oneAtATime } from '../../pause.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { formatInstant } from '../../protocol/time.ts';
import { nanosecondsOf } from '../clock.ts';
import type { Dialect } from '../dialect.ts';
import { type OpenedStore, StoreFailure } from '../index/store.ts';
import { type ChainFaults, noFaults, showIndexes } from './faults.ts';
import { indexesOf, type LedgerOptions, openLedger } from './ledger.ts';
import { type ChainStatus, type LiveChain, startLiveChain } from './live-chain.ts';
import { probeStore } from './records.ts';

export interface ChainsOptions extends LedgerOptions {
  readonly dialect: Dialect;
  readonly utcOffsetMinutes: number;
  /** Blocks accepted per round of bootstrapping. */
  readonly blocksPerRound?: number;
}

export interface ChainsEffects {
  /** Seconds since the Unix epoch by the network's clock. */
  readonly now: () => number;
  /** Time of this node's own clock at a time of the network's; by default the same. */
  readonly clock?: (at: number) => number;
  readonly log: Log;
  /** For tests: a failing store. */
  readonly openStore?: (dataDir: string | undefined) => Promise<OpenedStore>;
}

export type Chains = Extract<Awaited<ReturnType<typeof startChains>>, { readonly kind: 'ok' }>['chains'];

/** Seconds between two retries after the store has failed. */
const retrySeconds = 1;

export const startChains = async (options: ChainsOptions, { now, clock = (at) => at, log, openStore }: ChainsEffects) => {
  const { dialect, utcOffsetMinutes, blocksPerRound = 8 * 1024 } = options;
  const opened = await openLedger(options, now(), openStore);
  if (opened.kind === 'refused') return opened;
  if (opened.damage !== undefined) log.warn({ dataDir: options.dataDir }, `the data dir is damaged: ${opened.damage}`);
  const { store, epoch, chains: network, indexes, mark } = opened.ledger;
  const closing = new AbortController();
  const takeTurn = oneAtATime();

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

  const stopAccepting = (failure: unknown, nextRetryAt: number): void => {
    if (!(failure instanceof StoreFailure)) throw failure;
    if (retryAt === undefined) log.error({ error: failure.message }, 'store not writable: accepting no blocks');
    retryAt = nextRetryAt;
  };

  /** One round: creates chains and accepts the network's blocks up to time `at`. Rounds never overlap. */
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
        stopAccepting(error, at + retrySeconds);
      }
    });

  const chains = {
    /** First start of the node on its store, in seconds since the Unix epoch. */
    epoch,
    /** Only chains that exist already. */
    statuses: (): readonly ChainStatus[] => live.map((each) => each.status(tickedAt)),
    tick,
    /** Undefined, so 404, if indexing is off or its chain does not exist yet. */
    indexService: (name: IndexName) =>
      live.some(({ chain }) => indexesOf(chain.shape).includes(name)) ? shown.service(name) : undefined,
    /** Writes to the store and reads it, for the `database` check. Rejects with a StoreFailure. */
    checkDatabase: async (): Promise<void> => {
      try {
        await probeStore(store, now());
      } catch (error) {
        // Never delays a retry: the check may run more often than that. After the clock is set back, the retry is earlier.
        stopAccepting(error, Math.min(retryAt ?? Number.POSITIVE_INFINITY, now() + retrySeconds));
        throw error;
      }
    },
    setFaults: (next: ChainFaults): void => {
      faults = next;
      shown.setFaults(next);
    },
    /** Simulates a restart on the same store: the chains are created and bootstrap again. */
    restart: (): Promise<void> =>
      takeTurn(async () => {
        live = [];
        shown = showIndexes(indexes, dialect);
        shown.setFaults(faults);
      }),
    /** Waits for the current round, then closes the store. */
    close: async (): Promise<void> => {
      closing.abort();
      await takeTurn(() => store.close());
    },
  };
  return { kind: 'ok' as const, chains };
};
