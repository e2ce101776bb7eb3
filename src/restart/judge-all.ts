// The results of all targets of a fleet, for its metric.

import type { SafeToRestart, Targets } from '../conditions/condition.ts';
import { subnetGroupsOf } from './groups.ts';
import { defaultDowntime, restartResult } from './judge.ts';
import { createWatchedNodes } from './node.ts';
import { slowly } from './slowly.ts';

/** Maximum fraction of the time spent on it: for a thousand targets it takes milliseconds, and results may be a scrape old. */
const share = 0.005;

/** Returns results by name, or undefined while it is running or not due. Caches nodes that did not change. */
export const createRestartJudge = (now: () => number) => {
  const nodeOf = createWatchedNodes();
  let dueAt = Number.NEGATIVE_INFINITY;
  return async (targets: Targets): Promise<ReadonlyMap<string, SafeToRestart> | undefined> => {
    const at = now();
    if (at < dueAt) return undefined;
    dueAt = Number.POSITIVE_INFINITY;
    try {
      const nodes = await slowly([...targets.values()], (target) => nodeOf(target, at));
      const groups = subnetGroupsOf(nodes);
      return new Map(await slowly(nodes, (node) => [node.name, restartResult(node, groups, defaultDowntime)] as const));
    } finally {
      const end = now();
      dueAt = end + (end - at) / share;
    }
  };
};
