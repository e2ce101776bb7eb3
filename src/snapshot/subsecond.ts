// A node that checks more often than once a second, which is as often as it is polled: its runs then seem to come a second apart.
// One poll is placed between two seconds, and a run that is not whole intervals after the one before is a sign; two are proof.

import { type RunDistance, shortestInterval } from './run-distance.ts';

/** There is no interval to follow, and no run to miss. */
export const isSubsecond = ({ subsecondSigns }: { readonly subsecondSigns: number }): boolean => subsecondSigns >= 2;

/** An interval this short may be several: the polls of a second see runs every 0.4 s as if they came 1.2 s apart. */
export const mayBeSubsecond = (inferred: number | undefined): boolean =>
  inferred !== undefined && inferred < 2 * shortestInterval;

/** `isProbe`: seen by the poll between two seconds. */
export const isSubsecondSign = (inferred: number | undefined, { apart, isPossible }: RunDistance, isProbe: boolean): boolean => {
  if (!isPossible) return false;
  if (apart < 0.9 * shortestInterval) return true;
  if (inferred === undefined || !mayBeSubsecond(inferred) || !isProbe) return false;
  return Math.abs(apart - Math.round(apart / inferred) * inferred) > 0.25 * inferred;
};
