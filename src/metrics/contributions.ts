// What all targets contribute, as it was rendered after their polls. A scrape renders only what stopped being true by itself since
// then, and of much of that a little in each turn of the event loop.

import type { Target, Targets } from '../conditions/condition.ts';
import { yieldToEventLoop } from '../pause.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { type Contribution, contributionOf, isTrue } from './contribution.ts';
import type { Layout } from './layout.ts';

/** Most that are rendered in one turn of the event loop, some milliseconds: of fewer, thousands would take longer than a scrape may. */
const inOneTurn = 16;

export interface Contributions {
  readonly blocks: Blocks;
  /** Throws where a family cannot be made of what the node sent. */
  readonly of: (target: Target, now: number, wallOffset: number) => Contribution;
  /** All of them, in the order of the page; a promise where many have to be rendered first. */
  readonly all: (targets: Targets, now: number, wallOffset: number) => readonly Contribution[] | Promise<readonly Contribution[]>;
}

export const createContributions = (layout: Layout): Contributions => {
  const blocks = createBlocks(layout.names.length);
  const of = (target: Target, now: number, wallOffset: number): Contribution => {
    const { name } = target.state.options;
    const before = blocks.get(name);
    if (before !== undefined && isTrue(before, target, now, wallOffset)) return before;
    const made = contributionOf(layout, target, now, wallOffset, before);
    blocks.set(name, made);
    return made;
  };
  const renderOver = async (targets: Targets, old: readonly Target[], now: number, offset: number): Promise<void> => {
    for (const [at, { state }] of old.entries()) {
      if (at % inOneTurn === 0) await yieldToEventLoop();
      // As it is by now.
      const target = targets.get(state.options.name);
      if (target !== undefined) of(target, now, offset);
    }
  };
  /** Few stand in the order of the targets, and many as they are polled. All of these are there, and perhaps some that are gone. */
  const inOrder = (targets: Targets, now: number, offset: number): readonly Contribution[] => {
    if (blocks.count() !== targets.size) for (const name of blocks.names()) if (!targets.has(name)) blocks.delete(name);
    return blocks.isOne() ? Array.from(targets.values(), (target) => of(target, now, offset)) : blocks.all();
  };

  return {
    blocks,
    of,
    all: (targets, now, offset) => {
      const old: Target[] = [];
      for (const target of targets.values()) {
        const before = blocks.get(target.state.options.name);
        if (before === undefined || !isTrue(before, target, now, offset)) old.push(target);
      }
      if (old.length > inOneTurn) return renderOver(targets, old, now, offset).then(() => inOrder(targets, now, offset));
      for (const target of old) of(target, now, offset);
      return inOrder(targets, now, offset);
    },
  };
};
