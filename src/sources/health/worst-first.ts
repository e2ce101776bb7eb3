// In which order the checks of a report are told: everywhere the same, so that page, API, commands and metrics keep the same ones
// where there is not room for all.

import type { CheckResult, HealthReport } from '../../protocol/health.ts';

export interface NamedCheck {
  /** As the node writes it. */
  readonly check: string;
  readonly result: CheckResult;
}

export type CheckStanding = 'failing' | 'not-yet-run' | 'passing';

export const standingOf = ({ error, timestamp }: CheckResult): CheckStanding => {
  if (error === undefined) return 'passing';
  return timestamp === 'never' ? 'not-yet-run' : 'failing';
};

const rank = { failing: 0, 'not-yet-run': 1, passing: 2 } as const;

/** What has failed in a run comes before what has never run; what failed first is the likeliest cause of the rest. */
const worstFirst = (a: NamedCheck, b: NamedCheck): number =>
  rank[standingOf(a.result)] - rank[standingOf(b.result)] ||
  (a.result.timeOfFirstFailure ?? Number.MAX_VALUE) - (b.result.timeOfFirstFailure ?? Number.MAX_VALUE) ||
  (a.check < b.check ? -1 : Number(a.check > b.check));

export const checksWorstFirst = ({ checks }: HealthReport): readonly NamedCheck[] =>
  Array.from(checks, ([check, result]) => ({ check, result })).sort(worstFirst);

/** Those that do not pass, worst first. */
export const failingChecks = ({ checks }: HealthReport): readonly NamedCheck[] =>
  [...checks].flatMap(([check, result]) => (result.error === undefined ? [] : { check, result })).sort(worstFirst);
