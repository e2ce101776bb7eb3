// Sort order of the checks of a report. It is the same everywhere, so that page, API, commands and metrics keep the same checks
// if there are too many.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { isAwaited } from '../../protocol/reasons.ts';

export interface NamedCheck {
  /** Name in the report. */
  readonly check: string;
  readonly result: CheckResult;
}

export type CheckStanding = 'failing' | 'not-yet-run' | 'passing';

export const standingOf = ({ check, result }: NamedCheck): CheckStanding => {
  if (result.error === undefined) return 'passing';
  return isAwaited(check, result) ? 'not-yet-run' : 'failing';
};

const rank = { failing: 0, 'not-yet-run': 1, passing: 2 } as const;

/** Failed checks come before those that never ran. The one that failed first is the likeliest cause of the others. */
const worstFirst = (a: NamedCheck, b: NamedCheck): number =>
  rank[standingOf(a)] - rank[standingOf(b)] ||
  (a.result.timeOfFirstFailure ?? Number.MAX_VALUE) - (b.result.timeOfFirstFailure ?? Number.MAX_VALUE) ||
  (a.check < b.check ? -1 : Number(a.check > b.check));

/** Passing checks are sorted by name. */
export const checksWorstFirst = ({ checks }: HealthReport): readonly NamedCheck[] =>
  Array.from(checks, ([check, result]) => ({ check, result })).sort(worstFirst);

/** Checks that do not pass, worst first. Called with each poll; most reports have none. */
export const failingChecks = ({ checks }: HealthReport): readonly NamedCheck[] => {
  const failing: NamedCheck[] = [];
  for (const [check, result] of checks) if (result.error !== undefined) failing.push({ check, result });
  return failing.sort(worstFirst);
};
