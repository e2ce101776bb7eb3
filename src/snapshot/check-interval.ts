// Infers the node's check interval from its reports: the time between its health check runs.
//
// A report only shows the newest run, so two runs observed in succession are a whole number of intervals apart. That number is
// unknown unless at most one run can have happened between two polls. A poll that shows nothing new proves that the interval is
// longer than the time since the last run; a next poll within that time can therefore find at most one more. So the polls start
// close together, and the time between them doubles while nothing is new: about log2(interval) polls find any interval.
//
// The node cannot manipulate this, because it is measured by the exporter's clock. A distance by the node's timestamps is only
// accepted if it can have passed on the exporter's clock: see run-distance.ts. observe-run.ts applies each poll.

import type { HealthRun } from './health-run.ts';
import { shortestInterval } from './run-distance.ts';

export interface CheckInterval {
  /** Seconds between two health check runs of the node. Undefined until known. */
  readonly inferred?: number;
  /** Last inferred interval that is not a multiple of a shorter one: below two seconds, a poll between two runs must show that. */
  readonly confirmed?: number;
  /** True while extra polls infer the interval, for the first time or again. */
  readonly learning: boolean;
  /** While learning: seconds from a new run to the first poll after it. */
  readonly gap: number;
  readonly run?: HealthRun;
  /** End of the first poll that showed `run`; steady clock. */
  readonly seenAt?: number;
  /** Start of the last poll of the same process that did not show `run` yet. Undefined if the first poll did. */
  readonly unseenAt?: number;
  /** Start of the last poll that showed nothing newer; steady clock. */
  readonly quietAt?: number;
  /** Start of the last poll; steady clock. */
  readonly askedAt?: number;
  /** Upper bound of the seconds between the last two observed runs, by the exporter's clock. Undefined if there is none. */
  readonly apart?: number;
  /** Distance in seconds that is only accepted if the next one agrees. */
  readonly candidate?: number;
  /** Consecutive polls that found nothing new although it was due. */
  readonly emptyPolls: number;
  /** Last measured intervals in seconds, newest last. */
  readonly measured: readonly number[];
  /** Durations of the last runs in seconds, newest last. */
  readonly lengths: readonly number[];
  /** Runs observed since the last poll between two runs (probe). */
  readonly sinceProbe: number;
  /** Consecutive runs that were not a whole number of intervals apart. */
  readonly outliers: number;
  /** Runs less than a second apart, or between two whole seconds. After two of them, the interval counts as unmeasurable. */
  readonly subsecondSigns: number;
  /** While the interval is unmeasurable: consecutive probes whose run came a whole number of seconds after the one before. */
  readonly slowSigns: number;
}

/** Runs after which one poll (probe) is placed between two runs, to detect a node that checks more often than inferred. */
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

/** Another process may have another interval: the inferred one is only the initial estimate. */
export const resetInterval = ({ inferred, confirmed }: CheckInterval, configured: number): CheckInterval => ({
  ...unknownInterval(configured),
  ...(inferred !== undefined && { inferred }),
  ...(confirmed !== undefined && { confirmed }),
});

/**
 * The inferred interval if at least two distances agree with it. A single one may be too short, if the node's clock was set in
 * between, or if a restart of the node was not detected.
 */
export const settledInterval = ({ learning, measured, inferred }: CheckInterval): number | undefined =>
  learning || measured.length < 2 ? undefined : inferred;
