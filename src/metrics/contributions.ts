// The rendered samples of all targets. They are rendered after each poll; a scrape renders only those that have expired since, a few
// targets per iteration of the event loop.

import type { Target, Targets } from '../conditions/condition.ts';
import { yieldToEventLoop } from '../pause.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { type Contribution, contributionOf, isTrue } from './contribution.ts';
import type { Layout } from './layout.ts';

/** Targets rendered per iteration of the event loop, a few milliseconds. With fewer, thousands would take longer than a scrape's timeout. */
const maxPerIteration = 16;

export interface Contributions {
  readonly blocks: Blocks;
  /** Throws if a family cannot be made from what the node sent. */
  readonly of: (target: Target, now: number, wallOffset: number) => Contribution;
  /** All of them, in the order of the page. A promise if many must be rendered first. */
  readonly all: (targets: Targets, now: number, wallOffset: number) => readonly Contribution[] | Promise<readonly Contribution[]>;
}

export const createContributions = (layout: Layout): Contributions => {
  const blocks = createBlocks(layout.names.length);
  const of = (target: Target, now: number, wallOffset: number): Contribution => {
    const { name } = target.state.options;
    const before = blocks.get(name);
    if (before !== undefined && isTrue(before, target, now, wallOffset)) return before;
    const contribution = contributionOf(layout, target, now, wallOffset, before);
    blocks.set(name, contribution);
    return contribution;
  };
  const renderOver = async (targets: Targets, expired: readonly Target[], now: number, offset: number): Promise<void> => {
    for (const [at, { state }] of expired.entries()) {
      if (at % maxPerIteration === 0) await yieldToEventLoop();
      // Its current state: it may have been polled or removed meanwhile.
      const target = targets.get(state.options.name);
      if (target !== undefined) of(target, now, offset);
    }
  };
  /** A single block is in the order of the targets, several are in the order of polls. Drops the contributions of removed targets. */
  const inOrder = (targets: Targets, now: number, offset: number): readonly Contribution[] => {
    if (blocks.count() !== targets.size) for (const name of blocks.names()) if (!targets.has(name)) blocks.delete(name);
    return blocks.isOne() ? Array.from(targets.values(), (target) => of(target, now, offset)) : blocks.all();
  };

  return {
    blocks,
    of,
    all: (targets, now, offset) => {
      const expired: Target[] = [];
      for (const target of targets.values()) {
        const before = blocks.get(target.state.options.name);
        if (before === undefined || !isTrue(before, target, now, offset)) expired.push(target);
      }
      if (expired.length > maxPerIteration)
        return renderOver(targets, expired, now, offset).then(() => inOrder(targets, now, offset));
      for (const target of expired) of(target, now, offset);
      return inOrder(targets, now, offset);
    },
  };
};
