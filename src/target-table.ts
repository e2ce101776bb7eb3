// The one map of targets, and beside it the clients and the log memory of each: changed in place, by polls and by reloads.

import type { Client } from './client/client.ts';
import type { Target, Targets } from './conditions/condition.ts';
import { clientsOf, type Entry, entryAfter, keyOf, removedKey } from './entry.ts';
import type { Log } from './log.ts';
import type { MaintenanceWindow } from './maintenance/window.ts';
import { createRemoved } from './removed.ts';
import {
  byAddress,
  configuredAfter,
  type Next,
  type Recall,
  type Reload,
  type Removal,
  type Replaced,
  removedAfter,
  replacedBy,
} from './replaced.ts';
import { createRestartJudge } from './restart/judge-all.ts';
import type { TargetOptions } from './snapshot/options.ts';
import { type AllTargets, ringOf } from './sources/neighbours.ts';
import type { Sources } from './sources/sources.ts';
import { logOnce, maintained, rejudged } from './target-update.ts';

export interface ExporterTarget {
  readonly options: TargetOptions;
  readonly client: Client;
  readonly isDiscovered?: boolean;
}

interface Dependencies {
  readonly table: Sources;
  /** As in ExporterDependencies. */
  readonly now: () => number;
  readonly log: Log;
  readonly recall: Recall | undefined;
  readonly forgetsRemoved: boolean;
}

export type TargetTable = ReturnType<typeof createTargetTable>;

export const createTargetTable = ({ table, now, log, recall, forgetsRemoved }: Dependencies) => {
  /** Those that are configured. */
  const targets = new Map<string, Target>();
  /** By keyOf: of those, and of removed ones. */
  const entries = new Map<string, Entry>();
  const removed = createRemoved(now, log, () => targets.size);
  let version = 0;
  let ring = ringOf([]);
  const watched: AllTargets = { ring: () => ring, stateOf: (name) => targets.get(name)?.state };

  const set = (entry: Entry, target: Target): void => {
    if (entry.isRemoved) removed.set(target);
    else {
      targets.set(entry.name, target);
      version += 1;
    }
  };
  /** Closes those of these clients that no target has. */
  const closeUnused = (clients: Iterable<Client>): void => {
    const used = clientsOf(entries.values());
    for (const client of clients) if (!used.has(client)) client.close();
  };
  /** Lets go of removed targets for which nobody asks any more, and gives their keys. */
  const expire = (): readonly string[] => {
    const keys = removed.expire().map(removedKey);
    const over = keys.flatMap((key) => entries.get(key) ?? []);
    for (const key of keys) entries.delete(key);
    closeUnused(clientsOf(over));
    return keys;
  };
  /** What of a target is gone is polled on for its probe paths. `before`: the entries as they were. */
  const pollOn = (name: string, before: ReadonlyMap<string, Entry>, reload: Removal): void => {
    const key = removedKey(name);
    // Where a pod was, there may be another one.
    const isForgotten = forgetsRemoved || before.get(name)?.isDiscovered === true;
    const after = isForgotten ? undefined : removedAfter(name, reload);
    const { client } = entries.get(name) ?? before.get(name) ?? before.get(key) ?? {};
    if (after?.change !== 'none' && after?.change !== 'adjust') removed.delete(name);
    if (after === undefined || client === undefined) return;
    removed.set(after.target);
    entries.set(key, entryAfter(before.get(key), after, client, { isRemoved: true }));
  };
  /** A poll found that subnets are gone: their tag sets are removed as a reload removes them. `was`: the target before. */
  const dropTagSets = (entry: Entry, was: Target): void => {
    const { name } = entry;
    const next = optionsOf(new Map([[name, targetOf(entry)]]));
    pollOn(name, entries, { table, configured: new Map([[name, was]]), removed: removed.targets, next, at: now() });
  };
  /** Takes other targets; clients that are not among theirs are closed, once no poll is on them. */
  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const before = new Map(entries);
    // Now: entries that stay get another client in place.
    const clients = clientsOf(before.values());
    const former = { configured: new Map(targets), removed: new Map(removed.targets) };
    const options = new Map(next.map(({ options }) => [options.name, options]));
    const reload = {
      ...{ table, ...former, next: options, at: now(), recall },
      configuredAt: byAddress(former.configured.values(), ({ state }) => state.options.url),
      nextAt: byAddress(options.values(), ({ url }) => url),
    };
    const changes = new Map<string, Next['change']>();
    targets.clear();
    entries.clear();
    for (const { options, client, isDiscovered = false } of next) {
      const { name } = options;
      const after = configuredAfter(options, reload, isDiscovered);
      targets.set(name, after.target);
      changes.set(name, after.change);
      entries.set(name, entryAfter(before.get(name), after, client, { isDiscovered }));
    }
    ring = ringOf(targets.keys());
    const asked = { ...reload, next: optionsOf(targets) };
    for (const name of new Set([...former.configured.keys(), ...former.removed.keys()])) pollOn(name, before, asked);
    expire();
    closeUnused(clients);
    version += 1;
    return replacedBy(changes, former.configured);
  };

  /** Takes the maintenance windows that are open now, and gives the targets for which that is another one than before. */
  const maintain = (openFor: (target: string) => MaintenanceWindow | undefined): readonly Target[] => {
    const changed = maintained(targets, openFor);
    take(changed);
    return changed;
  };
  const resultsOf = createRestartJudge(now);
  const faults = new Set<string>();
  /** Time has passed: a restart of one may be safe now, or no longer. */
  const judgeRestarts = async (): Promise<void> => {
    const results = await resultsOf(targets).catch((error: unknown) => logOnce(log, faults, '', { source: 'restart', error }));
    if (results !== undefined) take(rejudged(targets, results));
  };
  const take = (changed: readonly Target[]): void => {
    for (const target of changed) targets.set(target.state.options.name, target);
    if (changed.length > 0) version += 1;
  };

  const targetOf = ({ name, isRemoved }: Entry): Target => {
    const target = (isRemoved ? removed.targets : targets).get(name);
    if (target === undefined) throw new Error(`no target ${name}`);
    return target;
  };
  /** No reload took the target away, or reset it. */
  const isCurrent = (entry: Entry): boolean => entries.get(keyOf(entry)) === entry;

  const held: { readonly targets: Targets; readonly entries: ReadonlyMap<string, Entry> } = { targets, entries };
  return {
    ...held,
    removed,
    watched,
    version: () => version,
    ...{ targetOf, isCurrent, set, replace, dropTagSets, maintain, judgeRestarts, expire, closeUnused },
  };
};

const optionsOf = (targets: Targets): Reload['next'] =>
  new Map(Array.from(targets, ([name, { state }]) => [name, state.options]));
