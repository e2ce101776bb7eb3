// Probes of removed targets, and of tag sets that a reload removed from a target.

import { isDeepStrictEqual } from 'node:util';
import type { Target, Targets } from '../conditions/condition.ts';

export type ProbeKind = 'startupz' | 'readyz' | 'livez';

/** The kind, tag set and target that a probe requests. */
export interface ProbeQuestion {
  readonly kind: ProbeKind;
  readonly tagSet?: string;
  /** Absent: /self. */
  readonly name?: string;
}

/** A probe of a removed target or tag set. */
export type RemovedProbe = Readonly<ReturnType<typeof removedProbe>>;

export const only = (targets: Targets): Target | undefined => (targets.size === 1 ? [...targets.values()][0] : undefined);

/** The removed target that responds instead of the configured one; undefined if the configured one can. */
export const removedFor = ({ name, tagSet }: ProbeQuestion, target: Target | undefined, removed: Targets): Target | undefined => {
  if (target === undefined) return removed.get(name ?? '');
  if (tagSet === undefined || isPolled(target, tagSet)) return undefined;
  const { url } = target.state.options;
  const own = removed.get(target.state.options.name);
  // /self may have been a target with another name.
  const others = name === undefined ? [...removed.values()].filter(({ state }) => state.options.url === url) : [];
  return [own, ...others].find((one) => one !== undefined && isPolled(one, tagSet));
};

export const isPolled = ({ conditions: { ready } }: Target, tagSet: string): boolean =>
  (ready.get(tagSet)?.reason ?? 'NotPolled') !== 'NotPolled';

/** The configured target of the same node: with its name, or the only one with its address. */
const successorOf = ({ state: { options } }: Target, targets: Targets): Target | undefined => {
  const named = targets.get(options.name);
  if (named !== undefined) return named;
  const [first, second] = [...targets.values()].filter(({ state }) => state.options.url === options.url);
  return second === undefined ? first : undefined;
};

export const removedProbe = ({ kind, name, tagSet = '' }: ProbeQuestion, gone: Target, targets: Targets) => {
  const { tagSets } = gone.state.options;
  const asked = tagSets.find((one) => one.name === tagSet);
  const target = successorOf(gone, targets);
  const same = target?.state.options.tagSets.find(({ tags }) => tags.length > 0 && isDeepStrictEqual(tags, asked?.tags));
  const basePath = targets.size === 1 ? '/self' : `/targets/${target?.state.options.name}`;
  return {
    /** The name of the target before the reload. */
    target: gone.state.options.name,
    // Only names that were configured are repeated.
    path: pathOf(name === undefined ? '/self' : `/targets/${gone.state.options.name}`, kind, asked?.name),
    /** The path to use instead; undefined if no configured target is known to be the same node. */
    use: target === undefined ? undefined : pathOf(basePath, kind, same?.name),
  };
};

const pathOf = (basePath: string, kind: ProbeKind, tagSet: string | undefined): string =>
  `${basePath}/${kind}${tagSet === undefined ? '' : `/${tagSet}`}`;
