// The running sources, with the last list of each. A reload restarts sources with changed settings, and keeps all lists.

import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { createBudget } from '../client/budget.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import { createFailureLog, type FailureLog } from '../failure-log.ts';
import { oneAtATime } from '../pause.ts';
import type { DiscoveredTarget } from './found.ts';
import { createPodBudget } from './kubernetes/pod-budget.ts';
import type { SourceList } from './merge.ts';
import { relabelWith } from './relabel.ts';
import {
  bytesOfAll,
  limitFault,
  maxBytesOfAll,
  maxFound,
  type SourceContext,
  type SourceUpdate,
  shownReasons,
  tooLargeOfAll,
  tooManyOfAll,
  tooManyTargets,
} from './source.ts';
import { type DiscoveryEntry, discoveryEntries } from './sources.ts';

export interface Running {
  wanted: DiscoveryEntry;
  readonly stop: AbortController;
  list: SourceList;
  /** The list is still the one of the source before a reload that changed the settings. */
  isInherited: boolean;
  /** Size of the texts that the list was read from, in bytes. */
  bytes: number;
  /** Undefined before its first update. */
  successful: boolean | undefined;
  /** Time of the last success, in seconds of the steady clock. */
  succeededAt?: number;
  /** Why the last update failed; empty if it did not fail. */
  reason: string;
  readonly failureLog: FailureLog;
}

interface Dependencies extends Omit<SourceContext, 'update' | 'tooLarge' | 'alone' | 'budget' | 'pods'> {
  /** Called when a list changes, or a source fails or recovers. */
  readonly changed: () => void;
  readonly fail: (fault: unknown) => void;
}

const tooLargeWith = (own: number, others: readonly Running[]): string | undefined => {
  const bytes = others.reduce((sum, one) => sum + one.bytes, own);
  return own > 0 && bytes > maxBytesOfAll ? tooLargeOfAll(bytes) : undefined;
};

const bounded = (update: SourceUpdate, others: readonly Running[]): SourceUpdate => {
  const own = update.found?.length ?? 0;
  if (own > maxFound) return overLimit('targets', tooManyTargets(own));
  const found = others.reduce((sum, { list }) => sum + list.found.length, own);
  if (own > 0 && found > maxFound) return overLimit('targets of all', tooManyOfAll(found));
  const reason = tooLargeWith(update.bytes ?? 0, others);
  return reason === undefined ? update : overLimit(bytesOfAll, reason);
};

const overLimit = (limit: string, reason: string): SourceUpdate => ({
  kind: 'failed',
  reason,
  faults: [limitFault(limit, reason)],
});

const hasSameSettings = (was: DiscoveryEntry, one: DiscoveryEntry): boolean =>
  was.kind === one.kind && isDeepStrictEqual(was.settings, one.settings);

const sharesOrigin = (was: DiscoveryEntry, one: DiscoveryEntry): boolean =>
  was.kind === one.kind && was.origins.some((origin) => one.origins.includes(origin));

/** The last list of its predecessor, and other parts that it reads from the lists of others: a reload may split a source, or join two. */
const inheritedBy = (
  one: DiscoveryEntry,
  others: readonly DiscoveryEntry[],
  predecessor: Running | undefined,
  before: readonly { readonly was: DiscoveryEntry; readonly found: readonly DiscoveredTarget[] }[],
): readonly DiscoveredTarget[] => {
  // What only another source reads now would collide with it, or get names by these relabelings, until both have new lists.
  const isOfAnother = (target: DiscoveredTarget): boolean =>
    !one.reads(target) && others.some((other) => other.kind === one.kind && other.reads(target));
  let all = (predecessor?.list.found ?? []).filter((target) => !isOfAnother(target));
  for (const { was, found } of before) {
    if (was.kind !== one.kind) continue;
    const had = new Set(all.map(one.partOf));
    all = [...all, ...found.filter((target) => one.reads(target) && !had.has(one.partOf(target)))];
  }
  return all;
};

interface RunningSources {
  /** Resolves when the sources of the configuration are running, with their last lists. */
  readonly configure: (config: DiscoveryConfig) => Promise<void>;
  readonly all: () => readonly Running[];
  /** Stops all sources; resolves when they have ended. */
  readonly stop: () => Promise<unknown>;
}

export const runningSources = ({ changed, fail, ...context }: Dependencies): RunningSources => {
  const { now, log, signal } = context;
  const [alone, budget, pods] = [oneAtATime(), createBudget(0), createPodBudget()];
  const cluster = { ...context.cluster, inTurn: oneAtATime() };
  let running: ReadonlyMap<string, Running> = new Map();
  const runs = new Set<Promise<void>>();

  const take = (one: Running, update: SourceUpdate): void => {
    const { source } = one.wanted;
    const { successful, reason } = one;
    const before = one.list.found;
    // A source that was restarted with other settings, and fails before its first list, keeps the previous list.
    const isNothing = update.kind === 'failed' && one.isInherited && update.found?.length === 0;
    const found = isNothing ? before : (update.found ?? before);
    if (update.found !== undefined && !isNothing) one.isInherited = false;
    one.list = { ...one.list, found };
    if (found !== before) one.bytes = update.bytes ?? 0;
    if (update.kind === 'ok') {
      if (one.failureLog.reset()) log.info({ source, targets: found.length }, 'discovery recovered');
      [one.successful, one.succeededAt, one.reason] = [true, now(), ''];
    } else {
      [one.successful, one.reason] = [false, update.reason];
      const reasons = one.failureLog.toLog(update.faults);
      const fields = { source, reason: shownReasons(reasons), targets: found.length };
      if (reasons.length > 0) log.warn(fields, 'discovery failed, keeping the last list');
    }
    if (one.successful !== successful || one.reason !== reason || found !== before) changed();
  };
  const start = async (one: Running): Promise<void> => {
    // A source with many requests adds a listener for each; Node.js would warn of a leak above ten.
    setMaxListeners(0, one.stop.signal);
    const run = await one.wanted.load();
    if (signal.aborted) one.stop.abort();
    const others = (): readonly Running[] => [...running.values()].filter((other) => other !== one);
    const update = (given: SourceUpdate): boolean => {
      if (one.stop.signal.aborted) return false;
      const taken = bounded(given, others());
      take(one, taken);
      return taken === given;
    };
    const tooLarge = (bytes: number): string | undefined => tooLargeWith(bytes, others());
    const all = {
      ...context,
      inherited: one.list.found,
      cluster,
      alone,
      budget,
      pods,
      signal: one.stop.signal,
      update,
      tooLarge,
    };
    if (!one.stop.signal.aborted) await run(all);
  };
  const begin = (wanted: DiscoveryEntry, list: SourceList, bytes: number): Running => {
    const stop = new AbortController();
    const failureLog = createFailureLog(now);
    const one: Running = { wanted, stop, list, isInherited: true, bytes, successful: undefined, reason: '', failureLog };
    const run = start(one).catch(fail);
    runs.add(run);
    void run.finally(() => runs.delete(run));
    return one;
  };

  return {
    configure: async (config) => {
      const wanted = await Promise.all(
        discoveryEntries(config).map(async (one) => ({ one, relabel: await relabelWith(one.relabelings) })),
      );
      const left = new Set(running.values());
      const previous = new Map<DiscoveryEntry, Running>();
      const match = (fits: (was: DiscoveryEntry, one: DiscoveryEntry) => boolean): void => {
        for (const { one } of wanted) {
          const was = previous.has(one) ? undefined : [...left].find((each) => fits(each.wanted, one));
          if (was === undefined) continue;
          left.delete(was);
          previous.set(one, was);
        }
      };
      // A list belongs to the settings it was requested with, even if their position in the configuration has changed. If the settings
      // have changed, too, it belongs to the source that reads the same, or else to the one at the same position.
      match(hasSameSettings);
      match(sharesOrigin);
      match((was, one) => was.source === one.source);
      const unchanged = new Set([...previous].flatMap(([one, was]) => (hasSameSettings(was.wanted, one) ? [was] : [])));
      // The list of a source that goes on has not moved.
      const before = [...running.values()]
        .filter((was) => !unchanged.has(was))
        .map(({ wanted: was, list: { found } }) => ({ was, found }));
      const entries = wanted.map(({ one }) => one);
      const next = wanted.map(({ one, relabel }): readonly [string, Running] => {
        const { source } = one;
        const was = previous.get(one);
        const isSame = was !== undefined && unchanged.has(was);
        const found = isSame ? was.list.found : inheritedBy(one, entries, was, before);
        const list = { source, found, relabel, results: new WeakMap() };
        if (isSame) return [source, Object.assign(was, { wanted: one, list })];
        was?.stop.abort();
        return [source, begin(one, list, was?.bytes ?? 0)];
      });
      running = new Map(next);
      for (const { stop } of left) stop.abort();
      changed();
    },
    all: () => [...running.values()],
    stop: () => {
      for (const { stop } of running.values()) stop.abort();
      return Promise.all(runs);
    },
  };
};
