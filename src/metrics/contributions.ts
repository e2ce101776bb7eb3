// What all targets contribute, as it was rendered after their polls. A scrape renders only what stopped being true by itself since
// then, and of much of that a little in each turn of the event loop.

import type { Target, Targets } from '../conditions/condition.ts';
import { nextTurn } from '../pause.ts';
import { type Contribution, contributionOf, isTrue } from './contribution.ts';
import type { Layout } from './layout.ts';

/** Most that are rendered in one turn of the event loop, which takes a few milliseconds. */
const inOneTurn = 4;

export interface Contributions {
  /** Throws where a family cannot be made of what the node sent. */
  readonly of: (target: Target, now: number, wallOffset: number) => Contribution;
  /** All of them, in the order of the targets; a promise where many have to be rendered first. */
  readonly all: (targets: Targets, now: number, wallOffset: number) => readonly Contribution[] | Promise<readonly Contribution[]>;
}

export const createContributions = (layout: Layout): Contributions => {
  const kept = new Map<string, Contribution>();

  const of = (target: Target, now: number, wallOffset: number): Contribution => {
    const { name } = target.state.options;
    const before = kept.get(name);
    if (before !== undefined && isTrue(before, target, now, wallOffset)) return before;
    const made = contributionOf(layout, target, now, wallOffset);
    kept.set(name, made);
    return made;
  };
  const renderAll = async (targets: Targets, names: readonly string[], now: number, offset: number): Promise<void> => {
    for (const [at, name] of names.entries()) {
      if (at % inOneTurn === 0) await nextTurn();
      const target = targets.get(name);
      if (target !== undefined) of(target, now, offset);
    }
  };
  const all = (targets: Targets, now: number, offset: number) =>
    Array.from(targets.values(), (target) => of(target, now, offset));

  return {
    of,
    all: (targets, now, offset) => {
      for (const name of kept.keys()) if (!targets.has(name)) kept.delete(name);
      const old = Array.from(targets).flatMap(([name, target]) => {
        const before = kept.get(name);
        return before !== undefined && isTrue(before, target, now, offset) ? [] : [name];
      });
      if (old.length <= inOneTurn) return all(targets, now, offset);
      return renderAll(targets, old, now, offset).then(() => all(targets, now, offset));
    },
  };
};
