// The map of all targets, with the client and the log memory of each. Polls and reloads change it in place.

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
  /** The configured targets. */
  const targets = new Map<string, Target>();
  /** By `keyOf`, for configured and for removed targets. */
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
  /** Closes the given clients, except those that a target uses. */
  const closeUnused = (clients: Iterable<Client>): void => {
    const used = clientsOf(entries.values());
    for (const client of clients) if (!used.has(client)) client.close();
  };
  /** Deletes removed targets that are no longer probed, and returns their keys. */
  const expire = (): readonly string[] => {
    const keys = removed.expire().map(removedKey);
    const over = keys.flatMap((key) => entries.get(key) ?? []);
    for (const key of keys) entries.delete(key);
    closeUnused(clientsOf(over));
    return keys;
  };
  /** Another pod may have the address of a discovered target by now. */
  const isForgotten = (entry: Entry | undefined): boolean => forgetsRemoved || entry?.isDiscovered === true;
  /** Keeps polling a removed target, or removed tag sets, for their probe paths. `before`: the entries before the reload. */
  const keepPolling = (name: string, before: ReadonlyMap<string, Entry>, reload: Removal): void => {
    const key = removedKey(name);
    const after = isForgotten(before.get(name)) ? undefined : removedAfter(name, reload);
    const { client } = entries.get(name) ?? before.get(name) ?? before.get(key) ?? {};
    // If the target itself is removed after some of its tag sets, its time starts again.
    const isGone = reload.configured.has(name) && !reload.next.has(name);
    if (isGone || (after?.change !== 'none' && after?.change !== 'adjust')) removed.delete(name);
    if (after === undefined || client === undefined) return;
    removed.set(after.target);
    entries.set(key, entryAfter(before.get(key), after, client, { isRemoved: true }));
  };
  /** Called if a poll found that subnets are gone: removes their tag sets as a reload does. `was`: the target before the poll. */
  const dropTagSets = (entry: Entry, was: Target): void => {
    // Tag sets that an earlier reload has removed stay.
    if (isForgotten(entry)) return;
    const { name } = entry;
    const next = optionsOf(new Map([[name, targetOf(entry)]]));
    keepPolling(name, entries, { table, configured: new Map([[name, was]]), removed: removed.targets, next, at: now() });
  };
  /** Replaces the targets. Clients that are no longer used are closed after their current poll. */
  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const before = new Map(entries);
    // Computed now, because the client of an entry that stays is replaced in place.
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
    for (const name of new Set([...former.configured.keys(), ...former.removed.keys()])) keepPolling(name, before, asked);
    expire();
    closeUnused(clients);
    version += 1;
    return replacedBy(changes, former.configured);
  };

  /** Sets the maintenance windows that are open now, and returns the targets with a changed window. */
  const maintain = (openFor: (target: string) => MaintenanceWindow | undefined): readonly Target[] => {
    const changed = maintained(targets, openFor);
    take(changed);
    return changed;
  };
  const resultsOf = createRestartJudge(now);
  const faults = new Set<string>();
  /** Evaluates again whether a restart is safe, because the result may change as time passes. */
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
  /** False if a reload has removed or reset the target. */
  const isCurrent = (entry: Entry): boolean => entries.get(keyOf(entry)) === entry;

  const readonlyMaps: { readonly targets: Targets; readonly entries: ReadonlyMap<string, Entry> } = { targets, entries };
  return {
    ...readonlyMaps,
    removed,
    watched,
    version: () => version,
    ...{ targetOf, isCurrent, set, replace, dropTagSets, maintain, judgeRestarts, expire, closeUnused },
  };
};

const optionsOf = (targets: Targets): Reload['next'] =>
  new Map(Array.from(targets, ([name, { state }]) => [name, state.options]));
