// The neighbours of a target: a few targets before and after it in the same network. Their number is limited, so that the cost of a poll
// does not depend on the size of the fleet. The relation is symmetric.

import { lastValue } from '../snapshot/observed.ts';
import type { AnySource, Neighbour, Neighbours } from './source.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

/** All targets as a ring, in which the first follows the last. */
export interface Ring {
  readonly names: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
}

export const ringOf = (targets: Iterable<string>): Ring => {
  const names = [...targets];
  return { names, positions: new Map(names.map((name, position) => [name, position])) };
};

/** All targets and their states. */
export interface AllTargets {
  readonly ring: () => Ring;
  readonly stateOf: (name: string) => TargetState | undefined;
}

export const watchedAlone: AllTargets = { ring: () => ringOf([]), stateOf: () => undefined };

const maxOnEachSide = 20;

export const neighboursOf = (
  [name, source]: readonly [name: string, source: AnySource],
  own: TargetState,
  { ring, stateOf }: AllTargets,
): Neighbours<unknown> => {
  const { names, positions } = ring();
  const position = positions.get(own.options.name);
  const network = lastValue(own.sources.info.network);
  if (position === undefined || network === undefined) return { before: [], after: [] };
  const side = (step: 1 | -1): readonly Neighbour<unknown>[] => {
    const found: Neighbour<unknown>[] = [];
    for (let away = 1; away < names.length && found.length < maxOnEachSide; away += 1) {
      const target = names.at((position + step * away) % names.length) ?? '';
      const state = stateOf(target);
      if (state === undefined || lastValue(state.sources.info.network) !== network) continue;
      found.push({ target, state: state.sources[name], maxAge: maxAgeOf(source, state) });
    }
    return found;
  };
  return { before: side(-1), after: side(1) };
};
