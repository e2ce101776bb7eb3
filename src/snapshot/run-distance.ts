// How far apart two runs are that were seen one after the other, and whether our own clock confirms what the node says of it. Its
// clock may be set between the two, and a check may claim any duration.

import type { HealthRun } from './health-run.ts';

/** Shortest and longest check interval, seconds; the configuration has the same limits. */
export const shortestInterval = 1;
export const longestInterval = 3600;

/** A run and when it was seen; steady clock. See CheckInterval. */
interface SeenRun {
  readonly run: HealthRun;
  readonly seenAt: number;
  readonly unseenAt?: number;
  readonly quietAt?: number;
  readonly askedAt?: number;
}

export interface RunDistance {
  /** From start to start in the node's timestamps, seconds. */
  readonly apart: number;
  /** It can have passed on our clock: the runs were seen first between polls that are so far apart. */
  readonly isPossible: boolean;
  /** At most one run can have come since the one before: on our clock nothing was new for longer than the last poll waited. */
  readonly isSingle: boolean;
  /** Our clock knows it from both sides, to a factor of four: to two from their middle. */
  readonly isMeasured: boolean;
  /**
   * No more than so many seconds can have passed on our clock; absent where nobody knows when the first of the two came, and where
   * a clock was set: then one run may look like two.
   */
  readonly atMost?: number;
  /** The run before had all its results, and quickly: it did not hold up the next. */
  readonly isUnhindered: boolean;
}

/** Room for an answer that was long under way, seconds, and for clocks that do not run alike. */
const room = (seconds: number): number => 0.25 + 0.01 * seconds;

export const distanceOf = (
  before: SeenRun,
  { run, endedAt }: { readonly run: HealthRun; readonly endedAt: number },
): RunDistance => {
  const { run: known, seenAt, unseenAt, quietAt, askedAt = seenAt } = before;
  const apart = run.start - known.start;
  // Results are what polls see come, so theirs is the distance that our clock bounds.
  const results = run.firstResult - known.firstResult;
  const shortest = Math.max(0, askedAt - seenAt);
  const longest = unseenAt === undefined ? Number.POSITIVE_INFINITY : endedAt - unseenAt;
  const isWithin = (seconds: number): boolean => seconds >= shortest - room(shortest) && seconds <= longest + room(longest);
  // Durations are the node's word: with them a distance may still be wrong by no more than a factor of two.
  const isPossible = apart > 0 && isWithin(results) && apart >= shortest / 2 && apart <= 2 * longest;
  return {
    apart,
    isPossible,
    isSingle: quietAt !== undefined && endedAt - quietAt <= quietAt - seenAt,
    isMeasured: isPossible && longest <= 4 * Math.max(shortestInterval, shortest),
    ...(isPossible && Number.isFinite(longest) && { atMost: longest }),
    isUnhindered: known.complete && known.end - known.start < apart / 2,
  };
};

/**
 * Whether a single distance is the check interval: it refines, by a factor of two at most, what is configured or was inferred,
 * or our clock has measured it. One that may have come about because a check took long needs a second that agrees.
 */
export const believable = (
  { apart, isPossible, isMeasured, isUnhindered }: RunDistance,
  by: { readonly configured: number; readonly inferred: number | undefined; readonly candidate: number | undefined },
): boolean => {
  const refines = (known: number | undefined): boolean => known !== undefined && apart >= known / 2 && apart <= known * 2;
  const agrees = by.candidate !== undefined && Math.abs(apart - by.candidate) <= 0.1 * by.candidate;
  return isPossible && (refines(by.configured) || refines(by.inferred) || (isMeasured && (isUnhindered || agrees)));
};
