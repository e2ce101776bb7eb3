// Measures the distance of two runs observed in succession, and whether the exporter's clock confirms the node's timestamps. The
// node's clock may be set between the two, and a check may report any duration.

import type { HealthRun } from './health-run.ts';

/** Shortest and longest check interval, seconds; the configuration has the same limits. */
export const shortestInterval = 1;
export const longestInterval = 3600;

/** A run and when it was observed; steady clock. See CheckInterval. */
interface SeenRun {
  readonly run: HealthRun;
  readonly seenAt: number;
  readonly unseenAt?: number;
  readonly quietAt?: number;
  readonly askedAt?: number;
}

export interface RunDistance {
  /** Seconds from start to start, by the node's timestamps. */
  readonly apart: number;
  /** It can have passed on the exporter's clock, by the times of the polls around both runs. */
  readonly isPossible: boolean;
  /** At most one run can have come since the one before: on the exporter's clock, nothing was new for longer than the last wait. */
  readonly isSingle: boolean;
  /** The exporter's clock bounds it within a factor of four: a factor of two from the middle. */
  readonly isMeasured: boolean;
  /**
   * Upper bound in seconds by the exporter's clock. Undefined if it is unknown when the first of the two came, or if a clock was
   * set: then one run may look like two.
   */
  readonly atMost?: number;
  /** The run before was complete in less than half the distance: it did not delay the next. */
  readonly isUnhindered: boolean;
}

/** Tolerance in seconds for slow responses and for clock drift. */
const room = (seconds: number): number => 0.25 + 0.01 * seconds;

export const distanceOf = (
  before: SeenRun,
  { run, endedAt }: { readonly run: HealthRun; readonly endedAt: number },
): RunDistance => {
  const { run: known, seenAt, unseenAt, quietAt, askedAt = seenAt } = before;
  const apart = run.start - known.start;
  // Polls observe when results arrive, so the exporter's clock bounds the distance of results.
  const results = run.firstResult - known.firstResult;
  const shortest = Math.max(0, askedAt - seenAt);
  const longest = unseenAt === undefined ? Number.POSITIVE_INFINITY : endedAt - unseenAt;
  const isWithin = (seconds: number): boolean => seconds >= shortest - room(shortest) && seconds <= longest + room(longest);
  // Durations are only what the node reports: they may change the distance by a factor of two at most.
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
 * Whether a distance is accepted as the check interval: it differs by a factor of two at most from the configured or the inferred
 * one, or it is measured by the exporter's clock. If a long check may have caused it, a second distance must agree.
 */
export const believable = (
  { apart, isPossible, isMeasured, isUnhindered }: RunDistance,
  by: { readonly configured: number; readonly inferred: number | undefined; readonly candidate: number | undefined },
): boolean => {
  const refines = (known: number | undefined): boolean => known !== undefined && apart >= known / 2 && apart <= known * 2;
  const agrees = by.candidate !== undefined && Math.abs(apart - by.candidate) <= 0.1 * by.candidate;
  return isPossible && (refines(by.configured) || refines(by.inferred) || (isMeasured && (isUnhindered || agrees)));
};
