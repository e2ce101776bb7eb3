// Runs the sources of discovery, keeps the last list of each, merges the lists, and applies the resulting targets.

import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import { pause, yieldToProbes } from '../pause.ts';
import { type Answers, createConnectionCheck } from './connection-check.ts';
import { mergeLists, type Problem, type ProblemReason, type ShardShare, type SourceTarget } from './merge.ts';
import { type ProblemSummary, problemLogger, problemSummaries } from './problems.ts';
import { type Running, runningSources } from './running.ts';

/** Status of a source; a new object whenever something in it has changed. */
export interface SourceStatus {
  readonly source: string;
  /** Whether the last refresh succeeded; undefined before the first one. */
  readonly successful: boolean | undefined;
  /** All targets of its first list are watched, or known to refuse connections. */
  readonly isListed: boolean;
  /** Time of the last successful refresh, in seconds of the steady clock. */
  readonly succeededAt?: number;
  /** Why the last refresh failed; absent if it succeeded. */
  readonly failure?: string;
  readonly targets: number;
  readonly dropped: ReadonlyMap<ProblemReason, number>;
  /** The reasons that occur, for the page and the API: each with a message and some names. */
  readonly unwatched: readonly ProblemSummary[];
}

export interface Discovery {
  /** Applies a new configuration. Targets in `configured` take precedence. */
  readonly configure: (config: DiscoveryConfig, configured: readonly TargetConfig[]) => void;
  /** Call it when this shard's share of the targets has changed. */
  readonly shareChanged: () => void;
  readonly status: () => readonly SourceStatus[];
  /** Resolves after the signal; rejects on a bug. */
  readonly finished: Promise<void>;
}

export interface DiscoveryDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** The lookup of host names. Absent: the one of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  readonly cluster: Cluster;
  /** Called with all discovered targets that this shard or another one watches. */
  readonly apply: (placed: readonly SourceTarget[]) => void;
  /** Absent without shards. */
  readonly share?: ShardShare | undefined;
  readonly answers?: Answers;
  /** The names of targets that earlier runs watched. Absent: names are not saved. */
  readonly memory?: Memory | undefined;
  /** Whether the last reload has removed a target with this name or URL from the configuration. */
  readonly wasConfigured?: ((nameOrUrl: string) => boolean) | undefined;
  readonly pace?: Partial<Pace>;
}

interface Memory {
  readonly has: (name: string) => boolean;
  /** `isWhole`: the list is complete, so that other saved names are dropped. */
  readonly keep: (names: readonly string[], isWhole: boolean) => Promise<unknown>;
}

interface Pace {
  /** Changes within this time are applied together. */
  readonly settleMs: number;
  readonly retrySeconds: number;
}

/** Maximum delay between changes, as a multiple of `settleMs`. */
const maxSlowdown = 16;

export const createDiscovery = ({
  apply,
  pace,
  answers,
  share,
  memory,
  wasConfigured,
  ...context
}: DiscoveryDependencies): Discovery => {
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
  /**
   * AbortControllers of the sources with an applied first list. A source that is restarted with other settings has a new AbortController.
   */
  const listed = new WeakSet<AbortController>();
  let isDirty = false;
  let applying: Promise<void> | undefined;
  let fail: (fault: unknown) => void = () => undefined;
  const logProblems = problemLogger(log);
  const changed = (): void => {
    isDirty = true;
    applying ??= applyChanges()
      .catch(fail)
      .finally(() => {
        applying = undefined;
        if (isDirty && !signal.aborted) changed();
      });
  };
  const sources = runningSources({ ...context, signal, changed, fail: (fault) => fail(fault) });
  const connectionCheck = createConnectionCheck({
    ...{ now, signal, changed, retrySeconds, lookup },
    known: (name) => memory?.has(name) === true,
    wasConfigured,
    ...(answers && { answers }),
  });

  const applyChanges = async (): Promise<void> => {
    let delayMs = settleMs;
    while (isDirty && !signal.aborted && config !== undefined) {
      await pause(settleMs / 1000, signal);
      isDirty = false;
      const { target: template, maxTargets } = config;
      // Copied, because updates may arrive while these lists are merged. The next iteration merges those.
      const running = sources.all().map((one) => ({ ...one }));
      const lists = running.map(({ list }) => list);
      const { own, others, problems } = await mergeLists(lists, { template, maxTargets, configured, watched, share });
      connectionCheck.update([...own, ...others]);
      await yieldToProbes();
      if (signal.aborted) return;
      const isAdmitted = ({ found }: SourceTarget): boolean | undefined => connectionCheck.isAdmitted(found.name);
      const reached = own.filter((one) => isAdmitted(one) === true);
      const ofOthers = others.filter((one) => isAdmitted(one) === true);
      const { taken, isComplete } = batchOf(reached, applied);
      const admitted = [...taken, ...ofOthers];
      const refused = own.filter((one) => isAdmitted(one) === false);
      const isOwn = (name: string): boolean => share?.isOwn(name) !== false;
      // Only the shard that watches a target counts and logs its problems.
      const all = [...problems.filter(({ name }) => isOwn(name)), ...refused.map(refusal)];
      logProblems(all, connectionCheck.unreported().filter(isOwn));
      const isSame = admitted.length === applied.length && admitted.every(({ found }, at) => applied[at]?.found === found);
      watched = new Set(taken.map(({ found }) => found.name));
      const unchecked = new Set([...own, ...others].filter((one) => isAdmitted(one) === undefined).map(({ source }) => source));
      for (const { wanted, stop, succeededAt } of running)
        if (isComplete && succeededAt !== undefined && !unchecked.has(wanted.source)) listed.add(stop);
      status = running.map((one) => statusOf(one, listed.has(one.stop), taken, all));
      if (!isSame) apply(admitted);
      applied = admitted;
      isDirty ||= !isComplete;
      // A pod that was watched and has no address now is the same target once it has one.
      const pending = problems.filter(({ reason, name }) => reason === 'pending' && memory?.has(name) === true);
      void memory?.keep(
        // Includes targets that wait for the next batch: they have accepted a connection, and this process may end before that batch.
        [...[...reached, ...ofOthers].map(({ found }) => found.name), ...pending.map(({ name }) => name)],
        running.every(({ successful }) => successful === true),
      );
      // If changes do not stop, the wait gets longer, because each change writes a log line and polls the changed targets.
      await pause((isComplete ? delayMs : 2 * settleMs) / 1000, signal);
      if (isComplete) delayMs = Math.min(2 * delayMs, maxSlowdown * settleMs);
    }
  };

  let configuring = Promise.resolve();
  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const end = (): void => {
      ours.abort();
      void configuring.then(() => Promise.all([applying, sources.stop()])).then(() => resolve(), reject);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });
  });
  return {
    configure: (next, others) => {
      configuring = configuring
        .then(() => {
          [config, configured] = [next, others];
          connectionCheck.reloaded();
          return sources.configure(next);
        })
        .catch(fail);
    },
    shareChanged: changed,
    status: () => {
      const times = new Map(sources.all().map(({ wanted, succeededAt }) => [wanted.source, succeededAt]));
      // A refresh that finds the same list changes only `succeededAt`.
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

/** Maximum number of targets added at once. Adding one takes tenths of a millisecond, and a list may have a thousand. */
const batchSize = 250;

/** All targets that are watched already, and a batch of the new ones. */
const batchOf = (next: readonly SourceTarget[], before: readonly SourceTarget[]) => {
  const known = new Set(before.map(({ found }) => found.name));
  let added = 0;
  const taken = next.filter(({ found }) => {
    if (known.has(found.name)) return true;
    added += 1;
    return added <= batchSize;
  });
  return { taken, isComplete: added <= batchSize };
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
