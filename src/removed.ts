// Targets that a reload has removed, or that have lost tag sets in a reload. As long as they are probed, they are polled with their old
// options, to serve their probe paths. They appear nowhere else.

import type { Target, Targets } from './conditions/condition.ts';
import type { Log } from './log.ts';
import type { RemovedProbe } from './server/removed-probes.ts';
import { type TargetOptions, untagged } from './snapshot/options.ts';

/** Seconds after the removal, or after the last probe, for which a removed target is polled. */
export const polledFor = 600;

/**
 * Maximum number of removed targets, depending on the number of configured ones: each has a client, and a sidecar has memory for few. The
 * targets without a probe for the longest time are dropped first.
 */
const maxRemoved = (configured: number): number => Math.max(10, configured);

/** The last probe, or the removal if there was no probe since. */
interface LastUse {
  readonly at: number;
  readonly byProbe: boolean;
}

export const createRemoved = (now: () => number, log: Log, configured: () => number) => {
  const targets = new Map<string, Target>();
  /** By their former name. */
  const known: Targets = targets;
  const lastUses = new Map<string, LastUse>();
  let probes = 0;
  const drop = (name: string): void => {
    targets.delete(name);
    lastUses.delete(name);
  };
  return {
    targets: known,
    /** Adds or updates a removed target. A new one is kept for ten minutes without a probe. */
    set: (target: Target): void => {
      const { name } = target.state.options;
      targets.set(name, target);
      if (!lastUses.has(name)) lastUses.set(name, { at: now(), byProbe: false });
    },
    delete: drop,
    probed: ({ target, path, use }: RemovedProbe): void => {
      const before = lastUses.get(target);
      if (before === undefined) return;
      probes += 1;
      lastUses.set(target, { at: now(), byProbe: true });
      if (before.byProbe) return;
      const until = `${polledFor / 60} min without a probe`;
      log.warn({ target, path, use, until }, 'probe of a removed target: change its path');
    },
    /** Deletes targets that were not probed for too long, or that exceed the limit, and returns their names. */
    expire: (): readonly string[] => {
      const at = now();
      const byAge = [...lastUses].toSorted(([, a], [, b]) => a.at - b.at);
      const max = maxRemoved(configured());
      const over = byAge.filter(([, last], position) => position < byAge.length - max || at - last.at > polledFor);
      for (const [name, { byProbe }] of over) {
        drop(name);
        if (byProbe) log.info({ target: name }, 'stopped polling a removed target');
      }
      return over.map(([name]) => name);
    },
    /** The number of probes of removed targets. */
    probes: (): number => probes,
  };
};

/**
 * Returns the options of the removed target with a name after a reload; undefined if there is no such target. `former`: the options that
 * were configured before. `removed`: the options of the removed target before. `next`: the options that are configured now. A target with a
 * different address is a different node.
 */
export const removedOptions = (
  former: TargetOptions | undefined,
  removed: TargetOptions | undefined,
  next: TargetOptions | undefined,
): TargetOptions | undefined => {
  const last = former ?? removed;
  if (last === undefined || (next !== undefined && next.url !== last.url)) return undefined;
  const ofEarlier = removed?.url === last.url ? removed.tagSets : [];
  const there = new Set([...(next?.tagSets ?? []), untagged(last)].map(({ name }) => name));
  const tagged = new Map([...ofEarlier, ...last.tagSets].filter(({ tags }) => tags.length > 0).map((one) => [one.name, one]));
  const gone = [...tagged.values()].filter(({ name }) => !there.has(name));
  if (next !== undefined && gone.length === 0) return undefined;
  const { writtenTagSets: _, ...rest } = last;
  return { ...rest, tagSets: [untagged(last), ...gone.slice(-maxTagSets)], indexes: [] };
};

/** The same limit as in a configuration. */
const maxTagSets = 100;
