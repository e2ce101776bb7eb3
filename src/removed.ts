// Targets that a reload took away, or took tag sets from: for as long as a probe asks for them, their probe paths are answered from
// polls by their own settings. Nobody else sees them.

import type { Target, Targets } from './conditions/condition.ts';
import type { Log } from './log.ts';
import type { RemovedProbe } from './server/removed-probes.ts';
import { type TargetOptions, untagged } from './snapshot/options.ts';

/** Seconds after the removal, or after the last probe, for which a removed target is polled. */
export const polledFor = 600;

/**
 * Most removed targets that are polled beside so many that are configured: each has a client, and a sidecar memory for few.
 * Those for which nobody has asked for longest end first.
 */
const maxRemoved = (configured: number): number => Math.max(10, configured);

/** Since the removal, or the last probe. */
interface Asked {
  readonly at: number;
  readonly byProbe: boolean;
}

export const createRemoved = (now: () => number, log: Log, configured: () => number) => {
  const targets = new Map<string, Target>();
  /** By the name that they had. */
  const known: Targets = targets;
  const asked = new Map<string, Asked>();
  let probes = 0;
  const drop = (name: string): void => {
    targets.delete(name);
    asked.delete(name);
  };
  return {
    targets: known,
    /** For ten minutes, where it is not there yet. */
    set: (target: Target): void => {
      const { name } = target.state.options;
      targets.set(name, target);
      if (!asked.has(name)) asked.set(name, { at: now(), byProbe: false });
    },
    delete: drop,
    probed: ({ target, path, use }: RemovedProbe): void => {
      const before = asked.get(target);
      if (before === undefined) return;
      probes += 1;
      asked.set(target, { at: now(), byProbe: true });
      if (before.byProbe) return;
      const until = `${polledFor / 60} min without a probe`;
      log.warn({ target, path, use, until }, 'probe of a removed target: change its path');
    },
    /** Deletes those whose time is over, and gives their names. */
    expire: (): readonly string[] => {
      const at = now();
      const byAge = [...asked].toSorted(([, a], [, b]) => a.at - b.at);
      const most = maxRemoved(configured());
      const over = byAge.filter(([, last], position) => position < byAge.length - most || at - last.at > polledFor);
      for (const [name, { byProbe }] of over) {
        drop(name);
        if (byProbe) log.info({ target: name }, 'stopped polling a removed target');
      }
      return over.map(([name]) => name);
    },
    /** How many probes they have answered. */
    probes: (): number => probes,
  };
};

/**
 * By which settings the removed target of a name is polled after a reload; undefined: there is none. `former`: what was configured
 * before, `removed`: what was removed by then, `next`: what is configured now. At another address there is another node.
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

/** As in a configuration. */
const maxTagSets = 100;
