// Tracks whether the timestamps of the node's checks advance.

import type { HealthReport } from '../protocol/health.ts';
import type { Stamped } from './clock.ts';
import { newestTimestamp } from './health-run.ts';

export interface Progress {
  /**
   * The source of `since`. none: no report yet · first-report: the arrival of the first report, while its results may be older · date: the age by
   * the Date header of the first report · advance: a timestamp advanced between two polls.
   */
  readonly basis: 'none' | 'first-report' | 'date' | 'advance';
  /** Since when no timestamp has advanced; steady clock. Absent while nothing has run. */
  readonly since?: number;
  /** Polls since then with a response that showed nothing new. */
  readonly quietPolls: number;
}

/** For a process that was not polled yet. */
export const noProgress: Progress = { basis: 'none', quietPolls: 0 };

/** Applies one more untagged report. `known`: the last one of the same process. */
export const observeProgress = (
  before: Progress,
  known: HealthReport | undefined,
  report: HealthReport,
  stamped: Stamped,
): Progress => {
  // If nothing has run yet, earlier results were those of another process.
  if (before.basis === 'none' || known === undefined || newestTimestamp(report) === undefined)
    return firstObservation(report, stamped);
  if (hasAdvanced(known, report)) return { basis: 'advance', since: stamped.endedAt, quietPolls: 0 };
  return { ...before, quietPolls: before.quietPolls + 1 };
};

const firstObservation = (report: HealthReport, { endedAt, date }: Stamped): Progress => {
  const newest = newestTimestamp(report);
  if (newest === undefined) return { basis: 'first-report', quietPolls: 0 };
  if (date === undefined) return { basis: 'first-report', since: endedAt, quietPolls: 0 };
  // The header is rounded down, so the checks are at least this old. Timestamps after it come from before the clock was set back.
  return { basis: 'date', since: endedAt - Math.max(0, date - newest), quietPolls: 0 };
};

/** Whether a timestamp has changed. An earlier one counts too, because the node's clock may be set back. */
const hasAdvanced = (known: HealthReport, report: HealthReport): boolean => {
  for (const [name, { timestamp }] of report.checks)
    if (typeof timestamp === 'number' && known.checks.get(name)?.timestamp !== timestamp) return true;
  return false;
};
