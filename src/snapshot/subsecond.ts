// Detects a node that checks more often than once a second, the maximum poll rate: its runs then seem to be a second apart.
// A probe polls between two seconds: a run that is not whole intervals after the one before is a sign, and two signs are proof. So
// are distances that are all a little shorter than a second: 0.95 s apart, or 0.9 s if the runs come every 0.45 s.

import type { CheckInterval } from './check-interval.ts';
import { type RunDistance, shortestInterval } from './run-distance.ts';

interface Missed {
  readonly interval: Pick<CheckInterval, 'subsecondSigns'>;
  readonly missedRuns: number;
  readonly countsRuns: boolean;
}

/** If true, there is no interval to follow, and no missed run. */
export const isSubsecond = ({ subsecondSigns }: { readonly subsecondSigns: number }): boolean => subsecondSigns >= 2;

/** Undefined if it is unknown: the interval was never known, or is below a second. */
export const missedRunsOf = ({ interval, missedRuns, countsRuns }: Missed): number | undefined =>
  countsRuns && !isSubsecond(interval) ? missedRuns : undefined;

/** With a ticker of one second, late runs would balance early ones. Closer to a second, the two cannot be told apart. */
export const areSubsecond = (measured: readonly number[]): boolean =>
  measured.every((seconds) => seconds < 0.98 * shortestInterval);

/** Such a short interval may be a multiple of the real one: polled every second, runs every 0.4 s appear 1.2 s apart. */
export const mayBeSubsecond = (inferred: number | undefined): boolean =>
  inferred !== undefined && inferred < 2 * shortestInterval;

/** `isProbe`: the poll was between two seconds. */
export const isSubsecondSign = (inferred: number | undefined, { apart, isPossible }: RunDistance, isProbe: boolean): boolean => {
  if (!isPossible) return false;
  if (apart < 0.9 * shortestInterval) return true;
  if (inferred === undefined || !mayBeSubsecond(inferred) || !isProbe) return false;
  return Math.abs(apart - Math.round(apart / inferred) * inferred) > 0.25 * inferred;
};

/** True for a node that checks once a second after all. For a faster one, a poll after 1.5 s shows a run in between. */
export const isWholeSeconds = ({ apart, isPossible }: RunDistance): boolean =>
  isPossible && Math.abs(apart - Math.round(apart / shortestInterval) * shortestInterval) < 0.05;
