// The node's check interval, inferred from its reports: how far apart its health check runs are.
//
// How it is inferred. A report only shows the newest run, so two runs seen one after the other are a whole number of intervals
// apart, and nobody knows which number, unless at most one run can have happened between two polls. A poll that shows nothing
// new proves that the interval is longer than the time since the last run; a next poll within that time can therefore find at
// most one more. So the polls start close together and double their distance while nothing is new: about log2(interval) of
// them give the interval, whatever was configured.
//
// What a node cannot steer. All of that is counted on our own clock. The distance that the node's timestamps give is only
// believed where it can have passed on our clock too: see run-distance.ts. What each poll adds is in observe-run.ts.

import type { HealthRun } from './health-run.ts';
import { shortestInterval } from './run-distance.ts';

export interface CheckInterval {
  /** Seconds between two runs of the node's health checks; absent until known. */
  readonly inferred?: number;
  /** The last one inferred that is not several shorter ones: below two seconds, a poll between two runs has to show that. */
  readonly confirmed?: number;
  /** True while polls are spent on inferring the interval, the first time or again. */
  readonly learning: boolean;
  /** While learning: seconds from a new run to the first poll after it. */
  readonly gap: number;
  readonly run?: HealthRun;
  /** End of the first poll that showed it; steady clock. */
  readonly seenAt?: number;
  /** Start of the last poll of the same process that did not show it yet; absent where the first poll did. */
  readonly unseenAt?: number;
  /** Start of the last poll that showed nothing newer; steady clock. */
  readonly quietAt?: number;
  /** Start of the last poll, whatever it showed; steady clock. */
  readonly askedAt?: number;
  /** The last two runs seen came no further apart than that, seconds; by our own clock, absent where it has no bound. */
  readonly apart?: number;
  /** A distance that is only believed when the next one agrees. */
  readonly candidate?: number;
  /** Polls in a row that came when something new was due and found nothing. */
  readonly emptyPolls: number;
  /** The last intervals measured, newest last, seconds. */
  readonly measured: readonly number[];
  /** How long the last runs took, newest last, seconds. */
  readonly lengths: readonly number[];
  /** Runs seen since the last poll between two runs. */
  readonly sinceProbe: number;
  /** Runs in a row that did not come a whole number of intervals after the one before. */
  readonly outliers: number;
  /** Runs that came less than a second apart, or between two whole seconds: two of them, and nobody can tell the interval. */
  readonly subsecondSigns: number;
  /** Of a node that nobody can tell the interval of: polls between two whole seconds whose run came a whole number of them later. */
  readonly slowSigns: number;
}

/** After so many runs one poll is placed between two runs: a node that checks more often than we believe shows there. */
export const probeEvery = 20;

export const firstGap = (configured: number): number => Math.min(5, Math.max(shortestInterval, configured / 8));

export const unknownInterval = (configured: number): CheckInterval => ({
  learning: true,
  gap: firstGap(configured),
  emptyPolls: 0,
  measured: [],
  lengths: [],
  sinceProbe: 0,
  outliers: 0,
  subsecondSigns: 0,
  slowSigns: 0,
});

/** Another process may check at another interval: what was inferred is only where to start from. */
export const resetInterval = ({ inferred, confirmed }: CheckInterval, configured: number): CheckInterval => ({
  ...unknownInterval(configured),
  ...(inferred !== undefined && { inferred }),
  ...(confirmed !== undefined && { confirmed }),
});

/**
 * The inferred interval once it is settled: two distances gave it. One alone may be too short, where the node's clock was set in
 * between, or where the node was restarted and nobody saw it.
 */
export const settledInterval = ({ learning, measured, inferred }: CheckInterval): number | undefined =>
  learning || measured.length < 2 ? undefined : inferred;
