// Which checks of a report fail, worst first, and which of them count against the readiness of a tag set.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { primaryNetworkId } from '../protocol/id.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { Readiness, TagSet } from '../snapshot/options.ts';
import { failingChecks, type NamedCheck } from '../sources/health/worst-first.ts';
import { printable } from '../text.ts';

export interface FailingCheck extends NamedCheck {
  readonly reason: Reason;
}

export interface Failures {
  readonly counting: readonly FailingCheck[];
  /** Failing checks that do not concern this tag set, or that the configuration ignores. */
  readonly ignored: readonly FailingCheck[];
}

/** Worst first. */
export const failingOf = (report: HealthReport): readonly FailingCheck[] =>
  failingChecks(report).flatMap(({ check, result }): readonly FailingCheck[] => {
    const reason = reasonOf(check, result);
    return reason === undefined ? [] : [{ check, reason, result }];
  });

export const failuresOf = (report: HealthReport, tagSet: TagSet, settings: Readiness): Failures => {
  const counting: FailingCheck[] = [];
  const ignored: FailingCheck[] = [];
  for (const one of failingOf(report)) {
    const { check, reason, result } = one;
    const counts =
      !settings.ignoreChecks.includes(check) && !settings.ignoreReasons.includes(reason) && concerns(tagSet, check, result);
    (counts ? counting : ignored).push(one);
  }
  return { counting, ignored };
};

/** If a report is unhealthy but has no failing check, the unknown cause cannot be ignored. */
export const passes = ({ healthy }: HealthReport, { counting, ignored }: Failures): boolean =>
  counting.length === 0 && (healthy || ignored.length > 0);

/** The tag that selects all checks. */
const everything = 'all';

/**
 * `bootstrapped` is in the report of every tag set, and fails if any subnet is bootstrapping: it counts for the subnets that it lists. If it
 * lists the primary network, it counts for all, because all subnets depend on it.
 */
export const concerns = ({ tags }: Pick<TagSet, 'tags'>, check: string, { message }: Pick<CheckResult, 'message'>): boolean => {
  if (check !== 'bootstrapped' || tags.length === 0 || tags.includes(everything)) return true;
  if (!Array.isArray(message) || message.length === 0) return true;
  return message.some((subnet) => subnet === primaryNetworkId || tags.includes(subnet));
};

const maxNamed = 3;

/** `P: stake-disconnected (not connected to …), and 2 more`. Only the first check has its error text. */
export const namesOf = (failing: readonly FailingCheck[]): string => {
  const named = failing.slice(0, maxNamed).map(({ check, reason, result }, at) => {
    const text = at === 0 && result.timestamp !== 'never' ? printable(result.error ?? '', 160) : '';
    const why = text === '' && reason === 'other' && at === 0 ? 'no error text' : text;
    return `${printable(check, 64)}: ${reason}${why === '' ? '' : ` (${why})`}`;
  });
  const more = failing.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
};

export const reasonsOf = (failing: readonly FailingCheck[]): readonly Reason[] => [
  ...new Set(failing.map(({ reason }) => reason)),
];

/** The message for a report that is unhealthy but has no failing check. */
export const namesNothing = 'the report is unhealthy and names no failing check';
