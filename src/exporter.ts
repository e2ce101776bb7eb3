// Wires the exporter together and holds what is known of every target: the only thing in it that changes.

import { isDeepStrictEqual } from 'node:util';
import type { Client } from './client/client.ts';
import { resetBy } from './config/target.ts';
import type { Evidence } from './evidence/evidence.ts';
import { type LineMemory, noLines } from './evidence/lines.ts';
import { type Learned, learn, logOnce, withOptions } from './learn.ts';
import type { Log } from './log.ts';
import { type Applied, failAll } from './poller/apply.ts';
import { dueAfter, poll, spread } from './poller/poll.ts';
import { createScheduler, type Job } from './poller/scheduler.ts';
import type { TargetOptions } from './snapshot/options.ts';
import type { SourceTable } from './sources/source.ts';
import { type Sources, sources } from './sources/sources.ts';
import { effectiveInterval, newTargetOf, type TargetState } from './sources/target-state.ts';
import type { Target, Targets } from './verdict/condition.ts';
import { judge } from './verdict/judge.ts';
import type { LiveMemory } from './verdict/memory.ts';

export interface ExporterTarget {
  readonly options: TargetOptions;
  readonly client: Client;
}

/** Names of targets, by what a reload of the configuration did to them. */
export interface Replaced {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Nothing is known of them any more, because what they are asked changed. */
  readonly reset: readonly string[];
  readonly kept: readonly string[];
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
  readonly evidence?: Pick<Evidence, 'add'>;
  /** Which socket listens where the target is asked; undefined where that cannot be known. */
  readonly listener?: (url: string) => Promise<string | undefined>;
  /** What an earlier run knew of the liveness of a target that begins. */
  readonly recall?: (target: TargetOptions) => LiveMemory | undefined;
  /** Called after each poll, with what is known now. */
  readonly polled?: (target: Target) => void;
  /** Called once a second. */
  readonly onTick?: () => void;
  /** What the nodes are asked; the exporter's own questions where it is not said. */
  readonly table?: Sources & SourceTable;
}

/** A target for as long as it is asked the same. */
interface Entry {
  client: Client;
  /** The client of the poll that is under way. */
  inUse: Client | undefined;
  /** What the log has said of it. */
  lines: LineMemory;
  /** Faults of ours that were logged, so that each is once. */
  readonly logged: Set<string>;
}

export const startExporter = (
  targets: readonly ExporterTarget[],
  { now, wallOffset = () => 0, log, signal, evidence, listener, recall, polled, onTick, table = sources }: ExporterDependencies,
): Exporter => {
  const known = new Map<string, Target>();
  const entries = new Map<string, Entry>();
  const scheduler = createScheduler({ now, log, signal, ...(onTick && { onTick }) });
  let version = 0;

  const targetOf = (name: string): Target => {
    const target = known.get(name);
    if (target === undefined) throw new Error(`no target ${name}`);
    return target;
  };
  const set = (target: Target): void => {
    known.set(target.state.options.name, target);
    version += 1;
  };
  const settle = (entry: Entry, target: Target, state: TargetState): Learned => {
    const learned = learn(table, { target, memory: entry.lines }, state, now(), wallOffset());
    polled?.(learned.target);
    return learned;
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
    evidence?.add(records);
    set(target);
    return target.state;
  };
  const jobOf = (name: string, entry: Entry, firstDue: number, offset: number): Job => ({
    firstDue,
    run: async (lastDue, cause) => {
      const { client } = entry;
      const lastStart = now();
      entry.inUse = client;
      // What was asked before a reload took the target away, or reset it, is of no use to anybody.
      const isCurrent = (): boolean => entries.get(name) === entry;
      let last = targetOf(name);
      const state = (): TargetState => (isCurrent() ? targetOf(name) : last).state;
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
      if (client !== entry.client) client.close();
      // A poll that the end cut short says nothing of the node.
      if (!isCurrent() || signal.aborted) return lastDue;
      last = targetOf(name);
      return dueAfter(take(entry, last, applied), { lastDue, lastStart, lastEnd: now(), offset, cause });
    },
  });

  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const at = now();
    const before = new Map(entries);
    const goesOn = ({ options }: ExporterTarget): boolean => {
      const was = known.get(options.name);
      return was !== undefined && resetBy(was.state.options, options).length === 0;
    };
    const started = new Map(next.filter((target) => !goesOn(target)).map((target, place) => [target, place]));
    const former = new Map(known);
    known.clear();
    entries.clear();
    for (const target of next) {
      const { options, client } = target;
      const { name } = options;
      const was = former.get(name);
      const place = started.get(target);
      if (place === undefined && was !== undefined) {
        const entry = before.get(name);
        if (entry !== undefined) entries.set(name, swapClient(entry, client));
        // It is judged by the new rules with its next poll: what is seen twice must not count twice.
        set(isDeepStrictEqual(was.state.options, options) ? was : withOptions(was, options, at));
        continue;
      }
      const entry: Entry = { client, inUse: undefined, lines: noLines, logged: new Set() };
      entries.set(name, entry);
      const state = newTargetOf(table, options);
      set({ state, conditions: judge(was?.conditions, state, at, recall?.(options)) });
      const { firstDue, offset } = spread(options, place ?? 0, started.size);
      scheduler.add(name, jobOf(name, entry, at + firstDue, offset));
    }
    const used = new Set(next.map(({ client }) => client));
    for (const [name, entry] of before) {
      if (!entries.has(name)) scheduler.remove(name);
      if (entries.get(name) !== entry && !used.has(entry.client)) entry.client.close();
    }
    version += 1;
    return difference(before, entries);
  };

  replace(targets);
  // Once for all: a listener for each call would cost more than the calls.
  const closeAll = (): void => {
    for (const { client, inUse } of entries.values()) {
      client.close();
      inUse?.close();
    }
  };
  if (signal.aborted) closeAll();
  else signal.addEventListener('abort', closeAll, { once: true });
  return {
    targets: known,
    version: () => version,
    lastTick: scheduler.lastTick,
    replace,
    connectionClosed: (name) => {
      if (known.get(name)?.state.process.state === 'reported') scheduler.runNow(name, 'closed');
    },
    probed: (name) => {
      const state = known.get(name)?.state;
      const at = state?.lastPoll?.at;
      if (state !== undefined && at !== undefined && now() - at > effectiveInterval(state)) scheduler.runNow(name, 'probed');
    },
    finished: scheduler.finished,
  };
};

/** A client that is replaced while a poll is on it is closed when that has ended. */
const swapClient = (entry: Entry, client: Client): Entry => {
  if (entry.client === client) return entry;
  if (entry.inUse !== entry.client) entry.client.close();
  entry.client = client;
  return entry;
};

const difference = (before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): Replaced => {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    reset: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    kept: names.filter((name) => before.get(name) === after.get(name)),
  };
};
