// Identifies the reporting process by a number that is the same for all exporters: the end of one check in the first run of a period.
// Two exporters poll and are scraped at different times, so their last runs differ anyway; a mark that stays for minutes does not.

import type { HealthReport } from '../../protocol/health.ts';

/** Period in seconds, node's clock. A scrape every two minutes sees each mark twice. */
export const markEvery = 256;

/** Seconds by which a run may be late on a busy machine. */
const lateness = 5;

export interface RunMark {
  /** Last observed run; node's clock. */
  readonly lastRun: number;
  /** First run of a period of `markEvery` seconds. Undefined until the start of one is observed. */
  readonly mark?: number;
}

/** `interval`: seconds between two runs. If the first run of a period was missed, there is no mark until the next. */
export const runMarkAfter = (before: RunMark | undefined, report: HealthReport, interval: number): RunMark | undefined => {
  const lastRun = endOfFirstCheck(report);
  if (lastRun === undefined) return undefined;
  if (before === undefined || lastRun < before.lastRun) return { lastRun };
  if (stretchOf(lastRun) === stretchOf(before.lastRun)) return { ...before, lastRun };
  return lastRun - before.lastRun > 1.5 * interval + lateness ? { lastRun } : { lastRun, mark: lastRun };
};

const stretchOf = (instant: number): number => Math.floor(instant / markEvery);

/** Uses only one check, the first by name that has run: a poll during a run sees only some of its results. */
const endOfFirstCheck = ({ checks }: HealthReport): number | undefined => {
  let first: { readonly name: string; readonly end: number } | undefined;
  for (const [name, { timestamp }] of checks)
    if (typeof timestamp === 'number' && (first === undefined || name < first.name)) first = { name, end: timestamp };
  return first?.end;
};
