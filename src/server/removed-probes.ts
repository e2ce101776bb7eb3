// Which probes a removed target answers: those of its name, and of the tag sets that a reload took away from a target that stays.

import { isDeepStrictEqual } from 'node:util';
import type { Target, Targets } from '../conditions/condition.ts';

export type ProbeKind = 'startupz' | 'readyz' | 'livez';

/** What is asked of a target. */
export interface ProbeQuestion {
  readonly kind: ProbeKind;
  readonly tagSet?: string;
  /** Absent: self. */
  readonly name?: string;
}

/** A probe of what a reload took away. */
export type RemovedProbe = Readonly<ReturnType<typeof removedProbe>>;

export const only = (targets: Targets): Target | undefined => (targets.size === 1 ? [...targets.values()][0] : undefined);

/** What answers in place of the configured target; none where that can. */
export const removedFor = ({ name, tagSet }: ProbeQuestion, target: Target | undefined, removed: Targets): Target | undefined => {
  if (target === undefined) return removed.get(name ?? '');
  if (tagSet === undefined || isPolled(target, tagSet)) return undefined;
  const { url } = target.state.options;
  const own = removed.get(target.state.options.name);
  // Self may have had another name.
  const others = name === undefined ? [...removed.values()].filter(({ state }) => state.options.url === url) : [];
  return [own, ...others].find((one) => one !== undefined && isPolled(one, tagSet));
};

export const isPolled = ({ conditions: { ready } }: Target, tagSet: string): boolean =>
  (ready.get(tagSet)?.reason ?? 'NotPolled') !== 'NotPolled';

export const removedProbe = ({ kind, name, tagSet = '' }: ProbeQuestion, gone: Target, targets: Targets) => {
  const { tagSets } = gone.state.options;
  const asked = tagSets.find((one) => one.name === tagSet);
  const target = targets.get(gone.state.options.name) ?? only(targets);
  const same = target?.state.options.tagSets.find(({ tags }) => tags.length > 0 && isDeepStrictEqual(tags, asked?.tags));
  const place = targets.size === 1 ? '/self' : `/targets/${target?.state.options.name ?? 'NAME'}`;
  return {
    /** The name it had. */
    target: gone.state.options.name,
    // Of what is asked nothing is repeated but names that were configured.
    path: pathOf(name === undefined ? '/self' : `/targets/${gone.state.options.name}`, kind, asked?.name),
    /** The path to ask instead. */
    use: pathOf(place, kind, same?.name),
  };
};

const pathOf = (place: string, kind: ProbeKind, tagSet: string | undefined): string =>
  `${place}/${kind}${tagSet === undefined ? '' : `/${tagSet}`}`;
