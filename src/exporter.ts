// Wires the exporter together and holds what is known, snapshot and verdicts: the only thing in it that changes.

import type { Client } from './client/client.ts';
import type { Evidence } from './evidence/evidence.ts';
import { type Draft, recordsOf, verdictRecords } from './evidence/record.ts';
import type { Log } from './log.ts';
import { keepTime, type Turn } from './poller/schedule.ts';
import { type Polled, turnsOf } from './poller/turns.ts';
import { type Answers, advance } from './snapshot/advance.ts';
import { changes } from './snapshot/changes.ts';
import { eventsBetween } from './snapshot/events.ts';
import { asksTheSame, withRules } from './snapshot/reconfigured.ts';
import { newSnapshot, newTarget, type TargetOptions, type TargetSnapshot } from './snapshot/snapshot.ts';
import { judge } from './verdict/judge.ts';
import type { Known, TargetVerdicts, Verdicts } from './verdict/judgement.ts';

export interface ExporterTarget {
  readonly options: TargetOptions;
  readonly client: Client;
}

/** Names of targets, by what a replacement did to them. */
export interface Replaced {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Begun anew, because what they are asked changed. */
  readonly begunAnew: readonly string[];
  readonly kept: readonly string[];
}

export interface Exporter {
  readonly known: () => Known;
  readonly lastBeat: () => number;
  /** Takes other targets from now on. Clients that are not among theirs are closed, once no round of polls is on them. */
  readonly replace: (targets: readonly ExporterTarget[]) => Replaced;
  /** Resolves when the signal is aborted and the last poll has ended; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export interface ExporterDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Takes every transition; without one nobody is told of them. */
  readonly evidence?: Pick<Evidence, 'add'>;
}

/** A target for as long as it is asked the same. */
interface Entry {
  readonly turn: Turn;
  client: Client;
  /** The client of the round of polls that is under way. */
  inUse: Client | undefined;
}

export const startExporter = (
  targets: readonly ExporterTarget[],
  { now, log, signal, evidence }: ExporterDependencies,
): Exporter => {
  let known: Known = { snapshot: newSnapshot([]), verdicts: new Map() };
  let entries: ReadonlyMap<string, Entry> = new Map();

  const targetOf = (name: string): TargetSnapshot => {
    const target = known.snapshot.targets.get(name);
    if (target === undefined) throw new Error(`no target ${name} in the snapshot`);
    return target;
  };
  const take = (name: string, answers: Answers): TargetSnapshot => {
    const { snapshot, verdicts } = known;
    const before = targetOf(name);
    const { after, judged, records } = learnt(before, verdicts.get(name), answers, now());
    for (const { level, fields, message } of changes(before, after)) log[level](fields, message);
    evidence?.add(records);
    known = {
      snapshot: { ...snapshot, targets: new Map(snapshot.targets).set(name, after) },
      verdicts: new Map(verdicts).set(name, judged),
    };
    return after;
  };

  const begin = (begun: readonly ExporterTarget[]): ReadonlyMap<string, Entry> => {
    const added = new Map<string, Entry>();
    const polled = begun.map(({ options, client }): Polled => {
      const { name } = options;
      const isCurrent = (): boolean => entries.get(name) === added.get(name);
      const known = (): TargetSnapshot => (isCurrent() ? targetOf(name) : newTarget(options));
      return {
        options,
        client: () => added.get(name)?.client ?? client,
        known,
        // What was asked before a reload replaced the target is of no use to anybody.
        take: (answers) => (isCurrent() ? take(name, answers) : known()),
      };
    });
    for (const [at, turn] of turnsOf(polled, now, signal).entries()) {
      const client = begun[at]?.client;
      if (client === undefined) continue;
      const entry: Entry = { client, inUse: undefined, turn: { ...turn, run: (due) => running(entry, () => turn.run(due)) } };
      added.set(turn.name, entry);
    }
    return added;
  };

  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const before = { entries, targets: known.snapshot.targets, verdicts: known.verdicts };
    const goesOn = ({ options }: ExporterTarget): boolean => {
      const was = before.targets.get(options.name);
      return was !== undefined && asksTheSame(was.options, options);
    };
    const begun = begin(next.filter((target) => !goesOn(target)));
    const snapshots = next.map(({ options }) => {
      const was = before.targets.get(options.name);
      return was === undefined || begun.has(options.name) ? newTarget(options) : withRules(was, options);
    });
    const byName = next.flatMap(({ options: { name } }): readonly (readonly [string, Entry])[] => {
      const entry = begun.get(name) ?? before.entries.get(name);
      return entry === undefined ? [] : [[name, entry]];
    });
    entries = new Map(byName);
    known = {
      snapshot: { targets: new Map(snapshots.map((target) => [target.options.name, target])) },
      verdicts: new Map(snapshots.map((target) => [target.options.name, judgedAnew(target, before, begun, now())])),
    };
    for (const { options, client } of next) hand(entries.get(options.name), client);
    const used = new Set(next.map(({ client }) => client));
    for (const [name, { client }] of before.entries) {
      if (entries.get(name) !== before.entries.get(name) && !used.has(client)) client.close();
    }
    return difference(before.entries, entries);
  };

  replace(targets);
  const turns = (): readonly Turn[] => Array.from(entries.values(), ({ turn }) => turn);
  const schedule = keepTime(turns(), { now, log, signal });
  const closed = schedule.finished.then(() => {
    for (const { client } of entries.values()) client.close();
  });
  return {
    known: () => known,
    lastBeat: schedule.lastBeat,
    replace: (next) => {
      const replaced = replace(next);
      schedule.replace(turns());
      return replaced;
    },
    finished: closed,
  };
};

export interface Learnt {
  readonly after: TargetSnapshot;
  readonly judged: TargetVerdicts;
  /** What of it is evidence. */
  readonly records: readonly Draft[];
}

/** What one round of polls, done `at` this moment, makes of what is known of a target. */
export const learnt = (before: TargetSnapshot, verdicts: TargetVerdicts | undefined, answers: Answers, at: number): Learnt => {
  const { name } = before.options;
  const after = advance(before, answers);
  const judged = judge(verdicts, after, at);
  const records = [...recordsOf(name, eventsBetween(before, after)), ...verdictRecords(name, verdicts, judged, after, at)];
  return { after, judged, records };
};

/** A client that was handed over meanwhile is closed when its last round of polls is done. */
const running = async <T>(entry: Entry, round: () => Promise<T>): Promise<T> => {
  const { client } = entry;
  entry.inUse = client;
  const result = await round();
  entry.inUse = undefined;
  if (client !== entry.client) client.close();
  return result;
};

const hand = (entry: Entry | undefined, client: Client): void => {
  if (entry === undefined || entry.client === client) return;
  if (entry.inUse !== entry.client) entry.client.close();
  entry.client = client;
};

/** One that goes on is judged after its next round, by whatever rules: what is looked at twice must not count twice. */
const judgedAnew = (
  target: TargetSnapshot,
  before: { readonly verdicts: Verdicts },
  begun: ReadonlyMap<string, unknown>,
  now: number,
): TargetVerdicts => {
  const { name } = target.options;
  const judged = before.verdicts.get(name);
  return judged === undefined || begun.has(name) ? judge(judged, target, now) : judged;
};

const difference = (before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): Replaced => {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    begunAnew: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    kept: names.filter((name) => before.get(name) === after.get(name)),
  };
};
