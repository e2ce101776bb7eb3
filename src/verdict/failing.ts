// Which failing checks of a report count against the readiness of a tag set.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { primaryNetworkId } from '../protocol/id.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { Readiness } from '../snapshot/rules.ts';
import type { TagSet } from '../snapshot/snapshot.ts';
import { oneLine } from './words.ts';

interface Failing {
  readonly check: string;
  readonly reason: Reason;
  readonly error: string;
}

export interface Failures {
  /** What failed first comes first: it is the likeliest cause of the rest. */
  readonly counting: readonly Failing[];
  /** Failing, and none of this tag set's business, or ignored by the configuration. */
  readonly ignored: readonly Failing[];
}

export const failuresOf = (report: HealthReport, tagSet: TagSet, rules: Readiness): Failures => {
  const counting: Failing[] = [];
  const ignored: Failing[] = [];
  const failed = [...report.checks].filter(([, { error }]) => error !== undefined);
  for (const [check, result] of failed.sort(byAge)) {
    const reason = reasonOf(check, result) ?? 'other';
    const one = { check, reason, error: result.error ?? '' };
    const counts =
      !rules.ignoreChecks.includes(check) && !rules.ignoreReasons.includes(reason) && concerns(tagSet, check, result);
    (counts ? counting : ignored).push(one);
  }
  return { counting, ignored };
};

type Entry = readonly [check: string, result: CheckResult];

const byAge = ([, a]: Entry, [, b]: Entry): number =>
  (a.timeOfFirstFailure ?? Number.MAX_VALUE) - (b.timeOfFirstFailure ?? Number.MAX_VALUE);

/** The tag that asks for every check there is. */
const everything = 'all';

/**
 * `bootstrapped` is part of every tag set's report, and fails for each subnet there is: it counts for the subnets that it lists,
 * and for everybody while the primary network is among them, on which all others stand.
 */
const concerns = ({ tags }: TagSet, check: string, { message }: CheckResult): boolean => {
  if (check !== 'bootstrapped' || tags.length === 0 || tags.includes(everything)) return true;
  if (!Array.isArray(message) || message.length === 0) return true;
  return message.some((subnet) => subnet === primaryNetworkId || tags.includes(subnet));
};

const mostNamed = 3;

/** `P: stake-disconnected (not connected to …), and 2 more`. The error's text is given of the first alone. */
export const namesOf = (failing: readonly Failing[]): string => {
  const named = failing.slice(0, mostNamed).map(({ check, reason, error }, at) => {
    const text = at === 0 && reason !== 'not-yet-run' ? oneLine(error, 160) : '';
    return `${oneLine(check, 64)}: ${reason}${text === '' ? '' : ` (${text})`}`;
  });
  const more = failing.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
};

export const reasonsOf = (failing: readonly Failing[]): readonly Reason[] => [...new Set(failing.map(({ reason }) => reason))];
