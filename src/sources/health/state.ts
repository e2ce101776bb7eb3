// What is known of a node's health.

import { greatest } from '../../lists.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { lastValue, type Observed, observedAt } from '../../snapshot/observed.ts';
import type { RunMark } from './run-mark.ts';
import type { TagKnowledge } from './tags.ts';
import type { Transitions } from './transitions.ts';

export type { HealthAsked } from './tags.ts';

export interface HealthState {
  /** The name of the tag set that is the whole node. */
  readonly untagged: string;
  /** Tags by the name of the tag set. */
  readonly tagSets: ReadonlyMap<string, readonly string[]>;
  /** By the name of the tag set; every configured one is there from the start. */
  readonly reports: ReadonlyMap<string, Observed<HealthReport>>;
  /** Of the untagged report. */
  readonly transitions: Transitions;
  readonly tags: TagKnowledge;
  /** Of the untagged report. */
  readonly runMark?: RunMark | undefined;
  /** When the process before reported last; exporter's clock. */
  readonly formerReportAt?: number | undefined;
}

/** Of whatever process; -Infinity where none has reported. */
export const lastReportAt = ({ reports, formerReportAt }: HealthState): number =>
  greatest([...observedAt(reports.values()), ...(formerReportAt === undefined ? [] : [formerReportAt])]);

/** The tag sets whose last reports have the check, the whole node first. */
export const tagSetsWith = ({ reports, untagged }: HealthState, check: string): readonly string[] => [
  untagged,
  ...Array.from(reports).flatMap(([name, report]) =>
    name !== untagged && lastValue(report)?.checks.has(check) === true ? name : [],
  ),
];

/**
 * Whose report says when the node runs its checks: the untagged one, or, where that does not come, the first of a tag set. The
 * checks of no tag stand in all of them.
 */
export const followedTagSet = <R>(
  { untagged }: Pick<HealthState, 'untagged'>,
  reports: ReadonlyMap<string, R>,
  isThere: (report: R) => boolean,
): string | undefined => {
  const whole = reports.get(untagged);
  if (whole !== undefined && isThere(whole)) return untagged;
  for (const [name, report] of reports) if (isThere(report)) return name;
  return undefined;
};
