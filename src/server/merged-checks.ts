// The checks of a target, each once: a check stands in the report of every tag set that it counts for.

import { type CheckStatus, worstCheckFirst } from './check-status.ts';
import type { TagSetStatus, TargetStatus } from './status.ts';

export interface MergedCheck extends CheckStatus {
  /** The tag sets with tags that have it; the untagged one has every check. */
  readonly countsFor: readonly string[];
  /** No report that has it is current; or none of its checks runs any more. */
  readonly old: boolean;
}

export interface MergedChecks {
  /** Worst first. */
  readonly checks: readonly MergedCheck[];
  /** Of the whole node, whatever was left out of `checks`. */
  readonly leftOut: number;
}

/** What is current beats what is old, and the whole node a part of it. */
const trust = (set: TagSetStatus): number => (set.knowledge === 'current' ? 0 : 2) + (set.tags.length === 0 ? 0 : 1);

export const mergeChecks = ({ tagSets, frozen }: TargetStatus): MergedChecks => {
  const found = new Map<string, MergedCheck>();
  for (const set of tagSets.toSorted((a, b) => trust(a) - trust(b))) {
    for (const check of set.checks ?? []) {
      const known = found.get(check.name) ?? {
        ...check,
        countsFor: [],
        old: set.knowledge !== 'current' || frozen !== undefined,
      };
      const countsFor = set.tags.length === 0 ? known.countsFor : [...known.countsFor, set.name];
      found.set(check.name, { ...known, countsFor });
    }
  }
  return {
    checks: [...found.values()].sort(worstCheckFirst),
    leftOut: Math.max(0, ...tagSets.map((set) => set.leftOut ?? 0)),
  };
};
