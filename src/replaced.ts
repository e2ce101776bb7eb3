// Computes the targets after a reload from the previous targets and the new options. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { Target, Targets } from './conditions/condition.ts';
import { judge } from './conditions/judge.ts';
import type { LiveMemory } from './conditions/memory.ts';
import { changeOf, type OptionsChange } from './config/target.ts';
import type { IndexName } from './protocol/paths.ts';
import { removedOptions } from './removed.ts';
import type { TargetOptions } from './snapshot/options.ts';
import { servedBefore } from './sources/indexes/indexes.ts';
import type { Sources } from './sources/sources.ts';
import type { KnownSubnet } from './sources/subnets/known.ts';
import { rememberedSubnets } from './sources/subnets/subnets.ts';
import { withSubnets } from './sources/subnets/tag-sets.ts';
import { newTarget } from './sources/target-state.ts';
import { adjusted, withOptions } from './target-update.ts';

export type Replaced = Readonly<ReturnType<typeof replacedBy>>;

export interface Reload {
  readonly table: Sources;
  /** The configured and the removed targets before the reload. */
  readonly configured: Targets;
  readonly removed: Targets;
  /** The new options by name. */
  readonly next: ReadonlyMap<string, TargetOptions>;
  /** Targets by address; undefined if several have the same address. Computed once per reload, not once per new target. */
  readonly configuredAt: ReadonlyMap<string, Target | undefined>;
  readonly nextAt: ReadonlyMap<string, TargetOptions | undefined>;
  readonly at: number;
  readonly recall?: Recall | undefined;
}

/** The part of a reload that decides about removed targets. */
export type Removal = Pick<Reload, 'table' | 'configured' | 'removed' | 'next' | 'at'>;

/** Returns what a previous run of snowgauge has saved about a target. */
export type Recall = (target: TargetOptions) => {
  readonly live?: LiveMemory | undefined;
  /** The indexes that have been on. */
  readonly indexes: readonly IndexName[];
  /** The subnets that were found. */
  readonly subnets: readonly KnownSubnet[];
};

export interface Next {
  readonly target: Target;
  readonly change: OptionsChange | 'new';
}

/** A configured target after the reload. `given`: its options in the configuration, without the tag sets of discovered subnets. */
export const configuredAfter = (given: TargetOptions, reload: Reload, isDiscovered = false): Next => {
  const { table, configured, removed, at } = reload;
  const was = configured.get(given.name);
  const recalled = reload.recall?.(given);
  const subnets = was?.state.options.url === given.url || isDiscovered ? was?.state.sources.subnets.known : undefined;
  const known = subnets ?? recalled?.subnets ?? [];
  const options = withSubnets(given, known);
  const changed = isDiscovered ? foundChange : changeOf;
  const change = was === undefined ? 'new' : changed(was.state.options, options);
  if (was !== undefined && change === 'none') return { target: was, change };
  // The next poll applies the new rules. If they were applied now, the same poll would be counted twice.
  if (was !== undefined && change === 'apply') return { target: withOptions(was, options, at), change };
  if (was !== undefined && change === 'adjust') return { target: adjusted(table, was, options, at), change };
  const state = newTarget(options, table, { indexes: servedBefore(recalled?.indexes ?? []), subnets: rememberedSubnets(known) });
  const former = [removed.get(options.name), renamedFrom(options, reload)];
  const same = was ?? former.find((one) => one?.state.options.url === options.url);
  return { target: { state, conditions: judge(same?.conditions, state, at, recalled?.live) }, change };
};

/** A pod that was recreated with the same name is the same node, restarted at a different address. */
const foundChange = (before: TargetOptions, after: TargetOptions): OptionsChange => {
  if (before.url === after.url) return changeOf(before, after);
  return changeOf({ ...before, url: after.url }, after) === 'reset' ? 'reset' : 'adjust';
};

/**
 * The earlier target with the same address as a new one, which was probably renamed: its conditions are kept until the first poll.
 * Undefined if several targets share the address, because there may be several nodes behind it.
 */
const renamedFrom = ({ name, url }: TargetOptions, { configuredAt, nextAt }: Reload): Target | undefined =>
  nextAt.get(url)?.name === name ? configuredAt.get(url) : undefined;

export const byAddress = <T>(all: Iterable<T>, addressOf: (one: T) => string): ReadonlyMap<string, T | undefined> => {
  const found = new Map<string, T | undefined>();
  for (const one of all) found.set(addressOf(one), found.has(addressOf(one)) ? undefined : one);
  return found;
};

/** The removed target that is still polled for removed probe paths; undefined if there is none. */
export const removedAfter = (name: string, { table, configured, removed, next, at }: Removal): Next | undefined => {
  const [was, before] = [configured.get(name), removed.get(name)];
  const options = removedOptions(was?.state.options, before?.state.options, next.get(name));
  const base = was ?? before;
  if (options === undefined || base === undefined) return undefined;
  if (before !== undefined && isDeepStrictEqual(options, before.state.options)) return { target: before, change: 'none' };
  const isNew = !isDeepStrictEqual(options.tagSets, before?.state.options.tagSets);
  return { target: adjusted(table, base, options, at), change: isNew ? 'new' : 'adjust' };
};

/** The names of targets, grouped by how the reload changed them. */
export const replacedBy = (changes: ReadonlyMap<string, Next['change']>, before: Targets) => {
  const names = (...of: readonly Next['change'][]): readonly string[] =>
    [...changes].flatMap(([name, change]) => (of.includes(change) ? [name] : []));
  return {
    added: names('new'),
    removed: [...before.keys()].filter((name) => !changes.has(name)),
    /** Their state was reset, because what is requested from them has changed. */
    reset: names('reset'),
    kept: names('adjust', 'apply', 'none'),
  };
};
