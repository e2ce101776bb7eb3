// One round of the node's health checks, read off a report: the node runs all checks at once, each period.

import type { HealthReport } from '../protocol/health.ts';

/** Times are seconds since the Unix epoch in the node's clock. */
export interface NodeRound {
  /** When its checks were started. */
  readonly start: number;
  /** When the first of its results was there. */
  readonly firstResult: number;
  /** When the last result that is there yet was there. */
  readonly end: number;
  /** False while a check that ran before has no result of this round: it still runs, or hangs. */
  readonly complete: boolean;
}

/** Checks of one round start within a moment of each other; rounds are at least a second apart. */
export const sameRound = 0.25;

/** The newest round in a report, or undefined when nothing has run yet. */
export const newestRound = (report: HealthReport): NodeRound | undefined => {
  const runs: { readonly start: number; readonly end: number }[] = [];
  for (const { timestamp, duration = 0 } of report.checks.values()) {
    if (typeof timestamp === 'number') runs.push({ start: timestamp - duration, end: timestamp });
  }
  if (runs.length === 0) return undefined;
  const newest = runs.reduce((latest, run) => Math.max(latest, run.start), Number.NEGATIVE_INFINITY);
  const members = runs.filter((run) => run.start > newest - sameRound);
  return {
    start: Math.min(...members.map((run) => run.start)),
    firstResult: Math.min(...members.map((run) => run.end)),
    end: Math.max(...members.map((run) => run.end)),
    complete: members.length === runs.length,
  };
};
