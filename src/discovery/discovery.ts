// Keeps the targets equal to what the sources find: runs them, holds the last list of each, and hands out what comes of all of them.

import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import { type Answers, createAdmission } from './admission.ts';
import { type Placed, type Problem, type ProblemReason, placeTargets, type SourceList } from './place.ts';
import { problemTeller } from './problems.ts';
import { relabelWith } from './relabel.ts';
import type { Cluster, SourceUpdate } from './source.ts';
import { type Wanted, wantedOf } from './sources.ts';

/** What is told of a source: a new object when anything of it changed. */
export interface SourceStatus {
  readonly source: string;
  /** Undefined before its first list. */
  readonly successful: boolean | undefined;
  /** Steady clock. */
  readonly succeededAt?: number;
  readonly targets: number;
  readonly dropped: ReadonlyMap<ProblemReason, number>;
}

export interface Discovery {
  /** From now on; those of `configured` win. */
  readonly configure: (config: DiscoveryConfig, configured: readonly TargetConfig[]) => void;
  readonly status: () => readonly SourceStatus[];
  /** Resolves after the signal; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export interface DiscoveryDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly cluster: Cluster;
  /** Takes all targets that are found and watched. */
  readonly apply: (placed: readonly Placed[]) => void;
  readonly answers?: Answers;
  readonly pace?: Partial<Pace>;
}

interface Pace {
  /** What comes within it is one change. */
  readonly settleMs: number;
  readonly retrySeconds: number;
}

interface Running {
  readonly wanted: Wanted;
  readonly stop: AbortController;
  list: SourceList;
  successful: boolean | undefined;
  succeededAt?: number;
  reason: string;
}

export const createDiscovery = ({ apply, pace, answers, ...context }: DiscoveryDependencies): Discovery => {
  const { now, log } = context;
  const ours = new AbortController();
  const { signal } = ours;
  setMaxListeners(0, signal);
  const { settleMs, retrySeconds } = { settleMs: 100, retrySeconds: 10, ...pace };
  let running = new Map<string, Running>();
  let config: DiscoveryConfig | undefined;
  let configured: readonly TargetConfig[] = [];
  let watched: ReadonlySet<string> = new Set();
  let applied: readonly Placed[] = [];
  let status: readonly SourceStatus[] = [];
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
  const admission = createAdmission({ now, signal, changed, retrySeconds, ...(answers && { answers }) });

  const work = async (): Promise<void> => {
    while (isDirty && !signal.aborted && config !== undefined) {
      await pause(settleMs / 1000, signal);
      isDirty = false;
      const { target: template, maxTargets } = config;
      const sources = [...running.values()];
      const lists = sources.map(({ list }) => list);
      const { placed, problems } = await placeTargets(lists, { template, maxTargets, configured, watched });
      if (signal.aborted) return;
      admission.update(placed);
      const admitted = placed.filter(({ target }) => admission.isAdmitted(target.options.name) === true);
      const refused = placed.filter(({ target }) => admission.isAdmitted(target.options.name) === false);
      const all = [...problems, ...refused.map(refusal)];
      tell(all, admission.untold());
      const isSame = admitted.length === applied.length && admitted.every(({ target }, at) => applied[at]?.target === target);
      watched = new Set(admitted.map(({ target }) => target.options.name));
      status = sources.map((one) => statusOf(one, admitted, all));
      if (!isSame) apply(admitted);
      applied = admitted;
    }
  };

  const take = (one: Running, update: SourceUpdate): void => {
    const { source } = one.wanted;
    const isSame = update.found === one.list.found;
    if (update.found !== undefined) one.list = { ...one.list, found: update.found };
    const targets = one.list.found.length;
    if (update.kind === 'ok') {
      const isKnown = one.successful === true && isSame;
      if (one.successful === false) log.info({ source, targets }, 'discovery recovered');
      [one.successful, one.succeededAt, one.reason] = [true, now(), ''];
      if (isKnown) {
        const succeededAt = now();
        status = status.map((each) => (each.source === source ? { ...each, succeededAt } : each));
        return;
      }
    } else {
      if (one.reason !== update.reason)
        log.warn({ source, reason: update.reason, targets }, 'discovery failed, keeping the last list');
      [one.successful, one.reason] = [false, update.reason];
    }
    changed();
  };
  const start = async (one: Running): Promise<void> => {
    // Of a source that asks many, each asks under the signal: Node.js would take more than ten listeners for a leak.
    setMaxListeners(0, one.stop.signal);
    const run = await one.wanted.load();
    if (signal.aborted) one.stop.abort();
    const update = (given: SourceUpdate): void => {
      if (!one.stop.signal.aborted) take(one, given);
    };
    if (!one.stop.signal.aborted) await run({ ...context, signal: one.stop.signal, update });
  };
  const runs = new Set<Promise<void>>();
  const configure = async (next: DiscoveryConfig): Promise<void> => {
    const before = running;
    running = new Map();
    for (const wanted of wantedOf(next)) {
      const was = before.get(wanted.source);
      const isSame = was !== undefined && isDeepStrictEqual(was.wanted.settings, wanted.settings);
      const relabel = await relabelWith(wanted.relabelings);
      const list = { source: wanted.source, found: was?.list.found ?? [], relabel, made: new WeakMap() };
      if (isSame) {
        running.set(wanted.source, Object.assign(was, { list }));
        continue;
      }
      was?.stop.abort();
      const one: Running = { wanted, stop: new AbortController(), list, successful: undefined, reason: '' };
      running.set(wanted.source, one);
      const run = start(one).catch(fail);
      runs.add(run);
      void run.finally(() => runs.delete(run));
    }
    for (const [source, { stop }] of before) if (!running.has(source)) stop.abort();
    changed();
  };

  let configuring = Promise.resolve();
  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const end = (): void => {
      ours.abort();
      for (const { stop } of running.values()) stop.abort();
      void configuring.then(() => Promise.all([working, ...runs])).then(() => resolve(), reject);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });
  });
  return {
    configure: (next, others) => {
      configuring = configuring
        .then(() => {
          [config, configured] = [next, others];
          return configure(next);
        })
        .catch(fail);
    },
    status: () => status,
    finished,
  };
};

const refusal = ({ source, target }: Placed): Problem => ({
  source,
  reason: 'refused',
  name: target.options.name,
  message: 'refuses connections',
});

const statusOf = (
  { wanted: { source }, successful, succeededAt }: Running,
  admitted: readonly Placed[],
  problems: readonly Problem[],
): SourceStatus => {
  const own = problems.filter((one) => one.source === source);
  const reasons = ['invalid', 'duplicate', 'limit', 'refused'] as const;
  return {
    source,
    successful,
    ...(succeededAt !== undefined && { succeededAt }),
    targets: admitted.filter((one) => one.source === source).length,
    dropped: new Map(reasons.map((reason) => [reason, own.filter((one) => one.reason === reason).length])),
  };
};
