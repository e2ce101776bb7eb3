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
  /** Failing, and none of this tag set's business, or ignored by the configuration. */
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

/** A report that is unhealthy and names nothing that fails is unhealthy for a reason that cannot be ignored. */
export const passes = ({ healthy }: HealthReport, { counting, ignored }: Failures): boolean =>
  counting.length === 0 && (healthy || ignored.length > 0);

/** The tag that asks for every check there is. */
const everything = 'all';

/**
 * `bootstrapped` is part of every tag set's report, and fails for each subnet there is: it counts for the subnets that it lists,
 * and for everybody while the primary network is among them, on which all others stand.
 */
export const concerns = ({ tags }: Pick<TagSet, 'tags'>, check: string, { message }: Pick<CheckResult, 'message'>): boolean => {
  if (check !== 'bootstrapped' || tags.length === 0 || tags.includes(everything)) return true;
  if (!Array.isArray(message) || message.length === 0) return true;
  return message.some((subnet) => subnet === primaryNetworkId || tags.includes(subnet));
};

const maxNamed = 3;

/** `P: stake-disconnected (not connected to …), and 2 more`. The error's text is given of the first alone. */
export const namesOf = (failing: readonly FailingCheck[]): string => {
  const named = failing.slice(0, maxNamed).map(({ check, reason, result }, at) => {
    const text = at === 0 && reason !== 'not-yet-run' ? printable(result.error ?? '', 160) : '';
    const why = text === '' && reason === 'other' && at === 0 ? 'no error text' : text;
    return `${printable(check, 64)}: ${reason}${why === '' ? '' : ` (${why})`}`;
  });
  const more = failing.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
};

export const reasonsOf = (failing: readonly FailingCheck[]): readonly Reason[] => [
  ...new Set(failing.map(({ reason }) => reason)),
];

/** What is told of a report that is unhealthy and names nothing that fails. */
export const namesNothing = 'the report is unhealthy and names no failing check';
