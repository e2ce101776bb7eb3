// Verdicts -> labels of the own pod.

import type { TargetSnapshot } from '../snapshot/snapshot.ts';
import type { TargetVerdicts } from '../verdict/judgement.ts';

export const prefix = 'ready.snowgauge.io/';
export const confirmedAt = `${prefix}confirmed-at`;

/** What is not known is not ready. */
const labelValue = { yes: 'true', no: 'false', unknown: 'false' } as const;

/** A label for each tag set; undefined before the first round of polls has ended, when nothing can be said yet. */
export const labelsOf = (
  target: TargetSnapshot | undefined,
  verdicts: TargetVerdicts | undefined,
): ReadonlyMap<string, string> | undefined => {
  if (target?.lastPollAt === undefined || verdicts === undefined) return undefined;
  return new Map(Array.from(verdicts.ready, ([tagSet, { state }]) => [`${prefix}${tagSet}`, labelValue[state]]));
};

export const sameLabels = (a: ReadonlyMap<string, string> | undefined, b: ReadonlyMap<string, string>): boolean =>
  a !== undefined && a.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
