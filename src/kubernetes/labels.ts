// Conditions -> labels of the pod.

import type { Target } from '../conditions/condition.ts';
import { conditionsAt } from '../conditions/true-until.ts';

export const prefix = 'ready.snowgauge.io/';
export const confirmedAt = `${prefix}confirmed-at`;

/** Unknown counts as not ready. */
const labelValue = { True: 'true', False: 'false', Unknown: 'false' } as const;

/** One label per tag set. Undefined before the first poll has ended. */
export const labelsOf = (target: Target | undefined, now: number): ReadonlyMap<string, string> | undefined => {
  if (target === undefined) return undefined;
  const { ready } = conditionsAt(target.conditions, target.state, now);
  if ([...ready.values()].every(({ reason }) => reason === 'NotPolled')) return undefined;
  return new Map(Array.from(ready, ([tagSet, { status }]) => [`${prefix}${tagSet}`, labelValue[status]]));
};

export const sameLabels = (a: ReadonlyMap<string, string> | undefined, b: ReadonlyMap<string, string>): boolean =>
  a !== undefined && a.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
