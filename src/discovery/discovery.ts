// Keeps the targets equal to what the sources find: runs them, holds the last list of each, and hands out what comes of all of them.

import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import { pause, yieldToProbes } from '../pause.ts';
import { type Answers, createConnectionCheck } from './connection-check.ts';
import { type Problem, type ProblemReason, placeTargets, type ShardShare, type SourceTarget } from './place.ts';
import { type ProblemSummary, problemSummaries, problemTeller } from './problems.ts';
import { type Running, runningSources } from './running.ts';

/** What is told of a source: a new object when anything of it changed. */
export interface SourceStatus {
  readonly source: string;
  /** Undefined before its first list. */
  readonly successful: boolean | undefined;
  /** Its first list is taken up whole: each target of it is watched, or known to be refused. */
  readonly isListed: boolean;
  /** Steady clock. */
  readonly succeededAt?: number;
  /** Why the last refresh failed, while it is so. */
  readonly failure?: string;
  readonly targets: number;
  readonly dropped: ReadonlyMap<ProblemReason, number>;
  /** The same for a person: those of which there are any, with what it means and some of the names. */
  readonly unwatched: readonly ProblemSummary[];
}

export interface Discovery {
  /** From now on; those of `configured` win. */
  readonly configure: (config: DiscoveryConfig, configured: readonly TargetConfig[]) => void;
  /** Another share of the targets is for this shard. */
  readonly shareChanged: () => void;
  readonly status: () => readonly SourceStatus[];
  /** Resolves after the signal; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export interface DiscoveryDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Of the process; where it is absent, that of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  readonly cluster: Cluster;
  /** Takes all targets that are found and watched, by whatever shard. */
  readonly apply: (placed: readonly SourceTarget[]) => void;
  /** Where there are several shards. */
  readonly share?: ShardShare | undefined;
  readonly answers?: Answers;
  /** What earlier runs have watched, where that is kept. */
  readonly memory?: Memory | undefined;
  readonly pace?: Partial<Pace>;
}

interface Memory {
  readonly has: (name: string) => boolean;
  readonly keep: (names: readonly string[], isWhole: boolean) => Promise<unknown>;
}

interface Pace {
  /** What comes within it is one change. */
  readonly settleMs: number;
  readonly retrySeconds: number;
}

/** How many times as slowly as the first, at most. */
const slowest = 16;

export const createDiscovery = ({ apply, pace, answers, share, memory, ...context }: DiscoveryDependencies): Discovery => {
  const { now, log, lookup } = context;
  const ours = new AbortController();
  const { signal } = ours;
  setMaxListeners(0, signal);
  const { settleMs, retrySeconds } = { settleMs: 100, retrySeconds: 10, ...pace };
  let config: DiscoveryConfig | undefined;
  let configured: readonly TargetConfig[] = [];
  let watched: ReadonlySet<string> = new Set();
  let applied: readonly SourceTarget[] = [];
  let status: readonly SourceStatus[] = [];
  /** Those whose first list is taken up, by what ends them: one that begins again with other settings is another. */
  const listed = new WeakSet<AbortController>();
  let isDirty = false;
  let working: Promise<void> | undefined;
  let fail: (fault: unknown) => void = () => undefined;
  const tell = problemTeller(log);
  const changed = (): void => {
    isDirty = true;
    working ??= work()
      .catch(fail)
      .finally(() => {
        working = undefined;
        if (isDirty && !signal.aborted) changed();
      });
  };
  const sources = runningSources({ ...context, signal, changed, fail: (fault) => fail(fault) });
  const connectionCheck = createConnectionCheck({
    ...{ now, signal, changed, retrySeconds, lookup },
    known: memory?.has,
    ...(answers && { answers }),
  });

  const work = async (): Promise<void> => {
    let restMs = settleMs;
    while (isDirty && !signal.aborted && config !== undefined) {
      await pause(settleMs / 1000, signal);
      isDirty = false;
      const { target: template, maxTargets } = config;
      // As they are now: what comes while these are placed is for the next pass.
      const running = sources.all().map((one) => ({ ...one }));
      const lists = running.map(({ list }) => list);
      const { own, others, problems } = await placeTargets(lists, { template, maxTargets, configured, watched, share });
      connectionCheck.update([...own, ...others]);
      await yieldToProbes();
      if (signal.aborted) return;
      const isAdmitted = ({ found }: SourceTarget): boolean | undefined => connectionCheck.isAdmitted(found.name);
      const reached = own.filter((one) => isAdmitted(one) === true);
      const ofOthers = others.filter((one) => isAdmitted(one) === true);
      const { taken, isAll } = portionOf(reached, applied);
      const admitted = [...taken, ...ofOthers];
      const refused = own.filter((one) => isAdmitted(one) === false);
      const isOwn = (name: string): boolean => share?.isOwn(name) !== false;
      // Each is counted by one shard, and told by it.
      const all = [...problems.filter(({ name }) => isOwn(name)), ...refused.map(refusal)];
      tell(all, connectionCheck.untold().filter(isOwn));
      const isSame = admitted.length === applied.length && admitted.every(({ found }, at) => applied[at]?.found === found);
      watched = new Set(taken.map(({ found }) => found.name));
      const asked = new Set([...own, ...others].filter((one) => isAdmitted(one) === undefined).map(({ source }) => source));
      for (const { wanted, stop, succeededAt } of running)
        if (isAll && succeededAt !== undefined && !asked.has(wanted.source)) listed.add(stop);
      status = running.map((one) => statusOf(one, listed.has(one.stop), taken, all));
      if (!isSame) apply(admitted);
      applied = admitted;
      isDirty ||= !isAll;
      void memory?.keep(
        // Also what waits for its portion: where this process ends before, it has been reached all the same.
        [...reached, ...ofOthers].map(({ found }) => found.name),
        running.every(({ successful }) => successful === true),
      );
      // Changes that never end are handed out more and more slowly: each is a line of the log, and polls of who changed.
      await pause((isAll ? restMs : 2 * settleMs) / 1000, signal);
      if (isAll) restMs = Math.min(2 * restMs, slowest * settleMs);
    }
  };

  let configuring = Promise.resolve();
  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const end = (): void => {
      ours.abort();
      void configuring.then(() => Promise.all([working, sources.stop()])).then(() => resolve(), reject);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });
  });
  return {
    configure: (next, others) => {
      configuring = configuring
        .then(() => {
          [config, configured] = [next, others];
          return sources.configure(next);
        })
        .catch(fail);
    },
    shareChanged: changed,
    status: () => {
      const times = new Map(sources.all().map(({ wanted, succeededAt }) => [wanted.source, succeededAt]));
      // A refresh that brought the list of before changes its time alone.
      if (status.some(({ source, succeededAt }) => times.get(source) !== succeededAt))
        status = status.map(({ succeededAt: _, ...one }) => {
          const succeededAt = times.get(one.source);
          return { ...one, ...(succeededAt !== undefined && { succeededAt }) };
        });
      return status;
    },
    finished,
  };
};

/** Targets that are taken up at once: of each it takes some tenths of a millisecond, and a list may bring a thousand. */
const portion = 250;

/** Of what is new, a portion. */
const portionOf = (next: readonly SourceTarget[], before: readonly SourceTarget[]) => {
  const known = new Set(before.map(({ found }) => found.name));
  let added = 0;
  const taken = next.filter(({ found }) => {
    if (known.has(found.name)) return true;
    added += 1;
    return added <= portion;
  });
  return { taken, isAll: added <= portion };
};

const refusal = ({ source, found }: SourceTarget): Problem => ({
  source,
  reason: 'refused',
  name: found.name,
  message: 'refuses connections',
});

const statusOf = (
  { wanted: { source }, successful, succeededAt, reason: failure }: Running,
  isListed: boolean,
  admitted: readonly SourceTarget[],
  problems: readonly Problem[],
): SourceStatus => {
  const own = problems.filter((one) => one.source === source);
  const reasons = ['invalid', 'duplicate', 'limit', 'pending', 'refused'] as const;
  return {
    source,
    successful,
    isListed,
    ...(succeededAt !== undefined && { succeededAt }),
    ...(successful === false && { failure }),
    targets: admitted.filter((one) => one.source === source).length,
    dropped: new Map(reasons.map((reason) => [reason, own.filter((one) => one.reason === reason).length])),
    unwatched: reasons.flatMap((reason) => problemSummaries(own, reason)),
  };
};
