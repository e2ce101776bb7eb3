// What happened to each check of the node between two untagged reports. Counter, log and event history all read it here, so that they agree.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import type { Observed } from '../../snapshot/observed.ts';

export type CheckState = 'passing' | 'failing';

export interface Counts {
  readonly passing: number;
  readonly failing: number;
  /** What it was last seen to be, so that a check that is gone for a while is compared with what it was before. */
  readonly last: CheckState;
}

/**
 * By check. Starts at 0 for a check that is first seen, and stays when the check is gone, because a counter does not go back: until there
 * are too many, when of those that are gone the first go. One that comes back after that begins at 0, as after a restart.
 */
export type Transitions = ReadonlyMap<string, Counts>;

/** Most checks counted: names that come and go without end must not fill the memory. A report holds no more. */
export const maxCountedChecks = 1000;

export const stateOf = (result: CheckResult): CheckState => (result.error === undefined ? 'passing' : 'failing');

export interface CheckChange {
  /** check: what is counted · found-failing: failing when it was first seen or first ran, nobody knows what it was before */
  readonly kind: 'check' | 'found-failing' | 'check-gone' | 'check-back';
  readonly check: string;
  readonly from?: CheckState;
  readonly to?: CheckState;
  /** No report showed it, another timeOfFirstFailure proves it. */
  readonly unseen?: true;
  /** The failing result that began or ended, as far as it was seen. */
  readonly failure?: CheckResult;
  /** What the check says now; absent where it says nothing of the change. */
  readonly result?: CheckResult;
}

export interface Reported {
  /** Before this report. */
  readonly counts: Transitions;
  /** What the poll before left. */
  readonly before: Observed<HealthReport>;
  readonly report: HealthReport;
  /** The node is another process than at the poll before. */
  readonly restarted: boolean;
}

/** In the order of the report; what is gone from it comes last. The counts make room for each check that is new. */
export const checkChanges = ({ counts, before, report, restarted }: Reported): readonly CheckChange[] => {
  const known = before.state === 'fresh' || before.state === 'stale' ? before.value.checks : undefined;
  // Only between two reports in a row of one process does another timeOfFirstFailure prove a recovery.
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
