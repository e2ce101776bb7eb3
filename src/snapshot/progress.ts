// What was seen of the progress of the node's checks: whether their timestamps advance.

import type { HealthReport } from '../protocol/health.ts';
import type { Stamped } from './clock.ts';
import { newestTimestamp } from './health-run.ts';

export interface Progress {
  /**
   * On what `since` rests. none: no report yet · first-report: it was there when we first asked, and may be of any age · date:
   * as old as the Date header of the first report said · advance: a timestamp has advanced under our eyes.
   */
  readonly basis: 'none' | 'first-report' | 'date' | 'advance';
  /** Since when no timestamp has advanced; steady clock. Absent while nothing has run. */
  readonly since?: number;
  /** Polls since then, each answered, that showed nothing new. */
  readonly quietPolls: number;
}

/** Of a process that nobody has polled yet. */
export const noProgress: Progress = { basis: 'none', quietPolls: 0 };

/** One more untagged report. `known`: the last one that the same process gave. */
export const observeProgress = (
  before: Progress,
  known: HealthReport | undefined,
  report: HealthReport,
  stamped: Stamped,
): Progress => {
  // Where nothing has run yet, what ran before was another process'.
  if (before.basis === 'none' || known === undefined || newestTimestamp(report) === undefined)
    return firstObservation(report, stamped);
  if (hasAdvanced(known, report)) return { basis: 'advance', since: stamped.endedAt, quietPolls: 0 };
  return { ...before, quietPolls: before.quietPolls + 1 };
};

const firstObservation = (report: HealthReport, { endedAt, date }: Stamped): Progress => {
  const newest = newestTimestamp(report);
  if (newest === undefined) return { basis: 'first-report', quietPolls: 0 };
  if (date === undefined) return { basis: 'first-report', since: endedAt, quietPolls: 0 };
  // The header is rounded down: the checks are at least as old. Timestamps ahead of it are of a clock that was set back.
  return { basis: 'date', since: endedAt - Math.max(0, date - newest), quietPolls: 0 };
};

/** Some check has another timestamp: an earlier one too, where the node's clock was set back. */
const hasAdvanced = (known: HealthReport, report: HealthReport): boolean => {
  for (const [name, { timestamp }] of report.checks)
    if (typeof timestamp === 'number' && known.checks.get(name)?.timestamp !== timestamp) return true;
  return false;
};
