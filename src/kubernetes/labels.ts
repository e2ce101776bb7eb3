// Conditions -> labels of the pod.

import type { Target } from '../conditions/condition.ts';
import { conditionsAt } from '../conditions/true-until.ts';

export const prefix = 'ready.snowgauge.io/';
export const confirmedAt = `${prefix}confirmed-at`;

/** What is not known is not ready. */
const labelValue = { True: 'true', False: 'false', Unknown: 'false' } as const;

/** A label for each tag set; undefined before the first poll has ended, when nothing can be said yet. */
export const labelsOf = (target: Target | undefined, now: number): ReadonlyMap<string, string> | undefined => {
  if (target === undefined) return undefined;
  const { ready } = conditionsAt(target.conditions, target.state, now);
  if ([...ready.values()].every(({ reason }) => reason === 'NotPolled')) return undefined;
  return new Map(Array.from(ready, ([tagSet, { status }]) => [`${prefix}${tagSet}`, labelValue[status]]));
};

export const sameLabels = (a: ReadonlyMap<string, string> | undefined, b: ReadonlyMap<string, string>): boolean =>
  a !== undefined && a.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
