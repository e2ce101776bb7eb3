// Judges the restarts of all targets of a fleet, for the metric.

import type { SafeToRestart, Targets } from '../conditions/condition.ts';
import { subnetGroupsOf } from './groups.ts';
import { defaultDowntime, restartResult } from './judge.ts';
import { createWatchedNodes } from './node.ts';
import { slowly } from './slowly.ts';

/**
 * Fraction of time that may be spent on judging, if that is more often than once in `longestWait`. A thousand targets take milliseconds, and
 * results may be as old as one scrape interval.
 */
const share = 0.005;

/** Seconds. A judgement may last long without working: while the process is stopped, or between the slow turns of a busy event loop. */
const longestWait = 60;

/**
 * Returns a function that resolves to results by target name, or to undefined if it is running already or not due. Nodes that did not
 * change are cached.
 */
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
      dueAt = end + Math.min(longestWait, (end - at) / share);
    }
  };
};
