// A node that checks more often than once a second, which is as often as it is polled: its runs then seem to come a second apart.
// One poll is placed between two seconds, and a run that is not whole intervals after the one before is a sign; two are proof. So are
// distances that are all a little shorter than a second: 0.95 s apart, or 0.9 s where the runs come every 0.45 s.

import type { CheckInterval } from './check-interval.ts';
import { type RunDistance, shortestInterval } from './run-distance.ts';

interface Missed {
  readonly interval: Pick<CheckInterval, 'subsecondSigns'>;
  readonly missedRuns: number;
  readonly countsRuns: boolean;
}

/** There is no interval to follow, and no run to miss. */
export const isSubsecond = ({ subsecondSigns }: { readonly subsecondSigns: number }): boolean => subsecondSigns >= 2;

/** Undefined while nobody can tell: the interval was never known yet, or is below a second. */
export const missedRunsOf = ({ interval, missedRuns, countsRuns }: Missed): number | undefined =>
  countsRuns && !isSubsecond(interval) ? missedRuns : undefined;

/** Of the runs of a ticker of one second some would be as late as others are early. Closer to a second nobody can tell. */
export const areSubsecond = (measured: readonly number[]): boolean =>
  measured.every((seconds) => seconds < 0.98 * shortestInterval);

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

/** As of a node that checks once a second after all; of one that checks more often a poll after 1.5 s shows a run between two. */
export const isWholeSeconds = ({ apart, isPossible }: RunDistance): boolean =>
  isPossible && Math.abs(apart - Math.round(apart / shortestInterval) * shortestInterval) < 0.05;
