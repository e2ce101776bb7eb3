// Wires the exporter together and holds what is known of every target: the only thing in it that changes.

import type { Client } from './client/client.ts';
import type { Target, Targets } from './conditions/condition.ts';
import type { LiveMemory } from './conditions/memory.ts';
import { clientsOf, type Entry, entryAfter, removedKey } from './entry.ts';
import type { EventHistory } from './events/event-history.ts';
import { type Learned, learn, logOnce } from './learn.ts';
import { listenerWatch } from './listener-watch.ts';
import type { Log } from './log.ts';
import { type Applied, failAll } from './poller/apply.ts';
import { dueAfter, poll, spread } from './poller/poll.ts';
import { createScheduler, type Job } from './poller/scheduler.ts';
import { createRemoved, type RemovedTargets } from './removed.ts';
import { configuredAfter, type Next, type Replaced, removedAfter, replacedBy } from './replaced.ts';
import type { TargetOptions } from './snapshot/options.ts';
import { type Sources, sources } from './sources/sources.ts';
import { effectiveInterval, type TargetState } from './sources/target-state.ts';

export interface ExporterTarget {
  readonly options: TargetOptions;
  readonly client: Client;
}

export interface Exporter {
  /** The one map, which changes in place: `version` says whether it has. */
  readonly targets: Targets;
  /** Grows with every change of a target. */
  readonly version: () => number;
  readonly lastTick: () => number;
  /** Takes other targets from now on. Clients that are not among theirs are closed, once no poll is on them. */
  readonly replace: (targets: readonly ExporterTarget[]) => Replaced;
  /** The node ended a kept-alive connection: it is asked at once whether its process still runs. */
  readonly connectionClosed: (name: string) => void;
  /** Somebody probes the target: it is polled where the last poll is older than a check interval. */
  readonly probed: (name: string) => void;
  /** What answers the probe paths that a reload took away. */
  readonly removed: Pick<RemovedTargets, 'targets' | 'probes' | 'probed'>;
  /** Resolves when the signal is aborted and the last poll has ended; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export interface ExporterDependencies {
  /** Seconds; a clock that is never set. */
  readonly now: () => number;
  /** Wall clock − that clock: events are told in wall time. */
  readonly wallOffset?: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Takes every transition; without one nobody is told of them. */
  readonly eventHistory?: Pick<EventHistory, 'add'>;
  /** Which socket listens where the target is asked; undefined where that cannot be known. */
  readonly listener?: (url: string) => Promise<string | undefined>;
  /** What an earlier run knew of the liveness of a target that begins. */
  readonly recall?: (target: TargetOptions) => LiveMemory | undefined;
  /** Called after each poll, with what is known now. */
  readonly polled?: (target: Target) => void;
  /** Called once a second. */
  readonly onTick?: () => void;
  /** What the nodes are asked; the exporter's own questions where it is not said. */
  readonly table?: Sources;
}

export const startExporter = (
  targets: readonly ExporterTarget[],
  {
    now,
    wallOffset = () => 0,
    log,
    signal,
    eventHistory,
    listener,
    recall,
    polled,
    onTick,
    table = sources,
  }: ExporterDependencies,
): Exporter => {
  const known = new Map<string, Target>();
  const entries = new Map<string, Entry>();
  const removed = createRemoved(now, log, () => known.size);
  let version = 0;

  const targetOf = ({ name, isRemoved }: Entry): Target => {
    const target = (isRemoved ? removed.targets : known).get(name);
    if (target === undefined) throw new Error(`no target ${name}`);
    return target;
  };
  const set = (target: Target): void => {
    known.set(target.state.options.name, target);
    version += 1;
  };
  const settle = (entry: Entry, target: Target, state: TargetState): Learned => {
    const learned = learn(table, { target, memory: entry.lines }, state, now(), wallOffset());
    if (entry.isRemoved) return { ...learned, records: [], lines: [] };
    polled?.(learned.target);
    return learned;
  };
  const closeUnused = (clients: Iterable<Client>): void => {
    const used = clientsOf(entries.values());
    for (const client of clients) if (!used.has(client)) client.close();
  };
  const take = (entry: Entry, before: Target, { state, faults }: Applied): TargetState => {
    const found = [...faults];
    let learned: Learned;
    try {
      learned = settle(entry, before, state);
    } catch (error) {
      // One target's answers must not end the watch of all others.
      found.push({ source: 'target', error });
      learned = settle(entry, before, failAll(table, before.state, { source: 'target', error }, now()));
    }
    const { target, records, lines, memory } = learned;
    entry.lines = memory;
    for (const fault of found) logOnce(log, entry.logged, target.state.options.name, fault);
    for (const { level, fields, message } of lines) log[level](fields, message);
    eventHistory?.add(records);
    if (entry.isRemoved) removed.set(target);
    else set(target);
    return target.state;
  };
  const jobOf = (key: string, entry: Entry, firstDue: number, offset: number): Job => ({
    firstDue,
    run: async (lastDue, cause) => {
      const { client } = entry;
      const lastStart = now();
      entry.inUse = client;
      // What was asked before a reload took the target away, or reset it, is of no use to anybody.
      const isCurrent = (): boolean => entries.get(key) === entry;
      let last = targetOf(entry);
      const state = (): TargetState => (isCurrent() ? targetOf(entry) : last).state;
      const applied = await poll({
        table,
        state,
        client,
        now,
        cause,
        ...(listener && { listener: () => listener(last.state.options.url) }),
      }).catch((error: unknown): Applied => {
        const fault = { source: 'target', error };
        return { state: failAll(table, state(), fault, now()), faults: [fault] };
      });
      entry.inUse = undefined;
      if (client !== entry.client) closeUnused([client]);
      // A poll that the end cut short says nothing of the node.
      if (!isCurrent() || signal.aborted) return lastDue;
      last = targetOf(entry);
      return dueAfter(take(entry, last, applied), { lastDue, lastStart, lastEnd: now(), offset, cause });
    },
  });

  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const [before, at] = [new Map(entries), now()];
    const former = { configured: new Map(known), removed: new Map(removed.targets) };
    const reload = { table, ...former, next: new Map(next.map(({ options }) => [options.name, options])), at, recall };
    const changes = new Map<string, Next['change']>();
    known.clear();
    entries.clear();
    for (const { options, client } of next) {
      const { name } = options;
      const after = configuredAfter(options, reload);
      set(after.target);
      changes.set(name, after.change);
      entries.set(name, entryAfter(before.get(name), after, client));
    }
    for (const name of new Set([...former.configured.keys(), ...former.removed.keys()])) {
      const key = removedKey(name);
      const after = removedAfter(name, reload);
      const { client } = entries.get(name) ?? before.get(name) ?? before.get(key) ?? {};
      if (after?.change !== 'none' && after?.change !== 'adjust') removed.delete(name);
      if (after === undefined || client === undefined) continue;
      removed.set(after.target);
      entries.set(key, entryAfter(before.get(key), after, client, true));
    }
    const begun = [...entries].filter(([key, entry]) => before.get(key) !== entry);
    begun.forEach(([key, entry], place) => {
      const { firstDue, offset } = spread(targetOf(entry).state.options, place, begun.length);
      scheduler.add(key, jobOf(key, entry, at + firstDue, offset));
    });
    for (const key of before.keys()) if (!entries.has(key)) scheduler.remove(key);
    expire();
    closeUnused(clientsOf(before.values()));
    version += 1;
    return replacedBy(changes, former.configured);
  };

  const expire = (): void => {
    for (const key of removed.expire().map(removedKey)) {
      const entry = entries.get(key);
      entries.delete(key);
      scheduler.remove(key);
      if (entry !== undefined) closeUnused(clientsOf([entry]));
    }
  };
  const connectionClosed = (name: string): void => {
    if (known.get(name)?.state.process.state === 'reported') scheduler.runNow(name, 'closed');
    if (removed.targets.get(name)?.state.process.state === 'reported') scheduler.runNow(removedKey(name), 'closed');
  };
  const readListener = listener && listenerWatch({ targets: known, entries, listener, onChanged: connectionClosed });
  const scheduler = createScheduler({
    now,
    log,
    signal,
    onTick: () => {
      expire();
      readListener?.();
      onTick?.();
    },
  });

  replace(targets);
  // Once for all: a listener for each call would cost more than the calls.
  const closeAll = (): void => {
    for (const client of clientsOf(entries.values())) client.close();
  };
  const runOld = (key: string, state: TargetState | undefined): void => {
    const at = state?.lastPoll?.at;
    if (state !== undefined && at !== undefined && now() - at > effectiveInterval(state)) scheduler.runNow(key, 'probed');
  };
  if (signal.aborted) closeAll();
  else signal.addEventListener('abort', closeAll, { once: true });
  return {
    targets: known,
    version: () => version,
    lastTick: scheduler.lastTick,
    replace,
    connectionClosed,
    probed: (name) => runOld(name, known.get(name)?.state),
    removed: {
      targets: removed.targets,
      probes: removed.probes,
      probed: (probe) => {
        removed.probed(probe);
        runOld(removedKey(probe.target), removed.targets.get(probe.target)?.state);
      },
    },
    finished: scheduler.finished,
  };
};
