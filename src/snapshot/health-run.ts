// Finds the newest health check run in a report: the node runs all checks at once, once per check interval.

import type { HealthReport } from '../protocol/health.ts';

/** Times are seconds since the Unix epoch in the node's clock. */
export interface HealthRun {
  readonly start: number;
  /** When its first result was available. */
  readonly firstResult: number;
  /** When its last result so far was available. */
  readonly end: number;
  /** False while a check that ran before has no result of this run, because it still runs or hangs. */
  readonly complete: boolean;
}

/** Checks of one run start within a moment of each other; runs are at least a second apart. */
export const sameRun = 0.25;

/** The newest run in a report, or undefined when nothing has run yet. */
export const newestRun = (report: HealthReport): HealthRun | undefined => {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamp, duration = 0 } of report.checks.values())
    if (typeof timestamp === 'number') newest = Math.max(newest, timestamp - duration);
  if (newest === Number.NEGATIVE_INFINITY) return undefined;
  let [start, firstResult, end, complete] = [newest, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
  for (const { timestamp, duration = 0 } of report.checks.values()) {
    if (typeof timestamp !== 'number') continue;
    if (timestamp - duration > newest - sameRun) {
      start = Math.min(start, timestamp - duration);
      firstResult = Math.min(firstResult, timestamp);
      end = Math.max(end, timestamp);
    } else complete = false;
  }
  return { start, firstResult, end, complete };
};

/** The newest timestamp in a report, node's clock; undefined when nothing has run yet. */
export const newestTimestamp = (report: HealthReport): number | undefined => {
  let newest: number | undefined;
  for (const { timestamp } of report.checks.values())
    if (typeof timestamp === 'number' && (newest === undefined || timestamp > newest)) newest = timestamp;
  return newest;
};
