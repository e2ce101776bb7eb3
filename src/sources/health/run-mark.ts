// Which process reports, in one number that all who watch it read alike: the end of one check in one run of so many. Two exporters
// poll and are scraped at different moments, so the last run that each has seen proves nothing; a run that stands for minutes does.

import type { HealthReport } from '../../protocol/health.ts';

/** Seconds of the node's clock. A scrape every two minutes sees each mark twice. */
export const markEvery = 256;

/** Seconds by which a run may be late on a busy machine. */
const lateness = 5;

export interface RunMark {
  /** The last run that was seen; node's clock. */
  readonly lastRun: number;
  /** The first run of a stretch of `markEvery` seconds; absent until one was seen to begin. */
  readonly mark?: number;
}

/** `interval`: seconds between two runs. Whoever missed the first run of a stretch has no mark until the next. */
export const runMarkAfter = (before: RunMark | undefined, report: HealthReport, interval: number): RunMark | undefined => {
  const lastRun = endOfFirstCheck(report);
  if (lastRun === undefined) return undefined;
  if (before === undefined || lastRun < before.lastRun) return { lastRun };
  if (stretchOf(lastRun) === stretchOf(before.lastRun)) return { ...before, lastRun };
  return lastRun - before.lastRun > 1.5 * interval + lateness ? { lastRun } : { lastRun, mark: lastRun };
};

const stretchOf = (instant: number): number => Math.floor(instant / markEvery);

/** Of one check alone, the first by name that has run: who polls during a run sees some results of it and not others. */
const endOfFirstCheck = ({ checks }: HealthReport): number | undefined => {
  let first: { readonly name: string; readonly end: number } | undefined;
  for (const [name, { timestamp }] of checks)
    if (typeof timestamp === 'number' && (first === undefined || name < first.name)) first = { name, end: timestamp };
  return first?.end;
};
