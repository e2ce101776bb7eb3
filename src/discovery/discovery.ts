// Keeps the targets equal to what the sources find: runs them, holds the last list of each, and hands out what comes of all of them.

import { setMaxListeners } from 'node:events';
import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import { type Answers, createAdmission } from './admission.ts';
import { type Placed, type Problem, type ProblemReason, placeTargets } from './place.ts';
import { problemTeller } from './problems.ts';
import { type Running, runningSources } from './running.ts';
import type { Cluster } from './source.ts';

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

export const createDiscovery = ({ apply, pace, answers, ...context }: DiscoveryDependencies): Discovery => {
  const { now, log } = context;
  const ours = new AbortController();
  const { signal } = ours;
  setMaxListeners(0, signal);
  const { settleMs, retrySeconds } = { settleMs: 100, retrySeconds: 10, ...pace };
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
  const sources = runningSources({ ...context, signal, changed, fail: (fault) => fail(fault) });
  const admission = createAdmission({ now, signal, changed, retrySeconds, ...(answers && { answers }) });

  const work = async (): Promise<void> => {
    while (isDirty && !signal.aborted && config !== undefined) {
      await pause(settleMs / 1000, signal);
      isDirty = false;
      const { target: template, maxTargets } = config;
      const running = sources.all();
      const lists = running.map(({ list }) => list);
      const { placed, problems } = await placeTargets(lists, { template, maxTargets, configured, watched });
      if (signal.aborted) return;
      admission.update(placed);
      const admitted = placed.filter(({ target }) => admission.isAdmitted(target.options.name) === true);
      const refused = placed.filter(({ target }) => admission.isAdmitted(target.options.name) === false);
      const all = [...problems, ...refused.map(refusal)];
      tell(all, admission.untold());
      const isSame = admitted.length === applied.length && admitted.every(({ target }, at) => applied[at]?.target === target);
      watched = new Set(admitted.map(({ target }) => target.options.name));
      status = running.map((one) => statusOf(one, admitted, all));
      if (!isSame) apply(admitted);
      applied = admitted;
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
