// State changes of each check between two untagged reports. Counter, log and event history all use them, so that they agree.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { lastValue, type Observed } from '../../snapshot/observed.ts';

export type CheckState = 'passing' | 'failing';

export interface Counts {
  readonly passing: number;
  readonly failing: number;
  /** Last observed state. Kept while the check is missing from reports, to compare with when it returns. */
  readonly last: CheckState;
}

/**
 * By check. Starts at 0 for a new check, and is kept when the check is gone, because a counter must not decrease. If there are too many,
 * the oldest of the missing checks are removed. If one of these returns, it starts at 0, as after a restart.
 */
export type Transitions = ReadonlyMap<string, Counts>;

/** Maximum checks counted: names that keep changing must not fill the memory. A report has no more. */
export const maxCountedChecks = 1000;

export const stateOf = (result: CheckResult): CheckState => (result.error === undefined ? 'passing' : 'failing');

export interface CheckChange {
  /** check: counted · found-failing: failing when it was first observed or first ran, its former state is unknown */
  readonly kind: 'check' | 'found-failing' | 'check-gone' | 'check-back';
  readonly check: string;
  readonly from?: CheckState;
  readonly to?: CheckState;
  /** Not in any report, but proven by a different timeOfFirstFailure. */
  readonly unseen?: true;
  /** The failing result that began or ended, if observed. */
  readonly failure?: CheckResult;
  /** Current result of the check. Undefined if it does not show the change. */
  readonly result?: CheckResult;
}

export interface Reported {
  /** Counts before this report. */
  readonly counts: Transitions;
  /** State after the previous poll. */
  readonly before: Observed<HealthReport>;
  readonly report: HealthReport;
  /** The node was restarted since the previous poll. */
  readonly restarted: boolean;
}

/** In the order of the report, missing checks last. The counts have room for all checks of a report. */
export const checkChanges = ({ counts, before, report, restarted }: Reported): readonly CheckChange[] => {
  const known = lastValue(before)?.checks;
  // A different timeOfFirstFailure proves a recovery only between two consecutive reports of one process.
  const provable = before.state === 'fresh' && !restarted;
  const found: CheckChange[] = [];
  for (const [check, result] of report.checks) {
    const counted = counts.get(check);
    if (counted !== undefined) for (const change of ofKnown(check, counted.last, known, result, provable)) found.push(change);
    else if (result.error !== undefined) found.push({ kind: 'found-failing', check, to: 'failing', failure: result, result });
  }
  for (const [check, result] of known ?? []) {
    if (report.checks.has(check) || !counts.has(check)) continue;
    found.push({ kind: 'check-gone', check, from: stateOf(result), ...failureOf(result) });
  }
  return found;
};

const ofKnown = (
  check: string,
  last: CheckState,
  known: HealthReport['checks'] | undefined,
  result: CheckResult,
  provable: boolean,
): readonly CheckChange[] => {
  const to = stateOf(result);
  const before = known?.get(check);
  const changes: CheckChange[] = [];
  if (known !== undefined && before === undefined) changes.push({ kind: 'check-back', check, to, ...failureOf(result), result });
  if (last !== to) {
    changes.push({ kind: 'check', check, from: last, to, ...failureOf(to === 'failing' ? result : before), result });
  } else if (before?.timestamp === 'never' && result.timestamp !== 'never' && to === 'failing') {
    changes.push({ kind: 'found-failing', check, to, failure: result, result });
  } else if (provable && recoveredUnseen(before, result)) {
    changes.push({ kind: 'check', check, from: 'failing', to: 'passing', unseen: true, ...failureOf(before) });
    changes.push({ kind: 'check', check, from: 'passing', to: 'failing', failure: result, result });
  }
  return changes;
};

const failureOf = (result: CheckResult | undefined): { readonly failure?: CheckResult } =>
  result?.error === undefined ? {} : { failure: result };

const recoveredUnseen = (before: CheckResult | undefined, now: CheckResult): boolean =>
  before?.timeOfFirstFailure !== undefined &&
  now.timeOfFirstFailure !== undefined &&
  before.timeOfFirstFailure !== now.timeOfFirstFailure;

/** The counts after one more report. */
export const countTransitions = (reported: Reported): Transitions => {
  const next = new Map(reported.counts);
  for (const [check, result] of reported.report.checks) {
    if (!next.has(check)) next.set(check, { passing: 0, failing: 0, last: stateOf(result) });
  }
  for (const check of next.size > maxCountedChecks ? reported.counts.keys() : []) {
    if (next.size <= maxCountedChecks) break;
    if (!reported.report.checks.has(check)) next.delete(check);
  }
  for (const { kind, check, to } of checkChanges(reported)) {
    const counts = next.get(check);
    if (kind === 'check' && to !== undefined && counts !== undefined)
      next.set(check, { ...counts, [to]: counts[to] + 1, last: to });
  }
  return next;
};
