// State of a node's health.

import type { Answer } from '../../client/client.ts';
import { greatest } from '../../lists.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { lastValue, type Observed, observedAt, pending } from '../../snapshot/observed.ts';
import type { RunMark } from './run-mark.ts';
import type { HealthAsked, TagKnowledge } from './tags.ts';
import type { Transitions } from './transitions.ts';

export type { HealthAsked } from './tags.ts';

/** The responses of the same poll that sources which follow the reports of the node need. */
export interface ReportsAsked {
  readonly readiness: Answer<HealthReport>;
  readonly health: HealthAsked;
}

export interface HealthState {
  /** Name of the tag set for the whole node. */
  readonly untagged: string;
  /** Tags by the name of the tag set. */
  readonly tagSets: ReadonlyMap<string, readonly string[]>;
  /** By the name of the tag set. Has all configured ones from the start. */
  readonly reports: ReadonlyMap<string, Observed<HealthReport>>;
  /** From the untagged report. */
  readonly transitions: Transitions;
  readonly tags: TagKnowledge;
  /** From the untagged report. */
  readonly runMark?: RunMark | undefined;
  /** Last report of the former process; exporter's clock. */
  readonly formerReportAt?: number | undefined;
}

/** Last report, also of a former process; -Infinity if none. */
export const lastReportAt = ({ reports, formerReportAt }: HealthState): number =>
  greatest([...observedAt(reports.values()), ...(formerReportAt === undefined ? [] : [formerReportAt])]);

/** For another process: the reports of the former one do not apply to it. */
export const withoutReports = (before: HealthState): HealthState => ({
  ...before,
  reports: new Map(Array.from(before.reports.keys(), (tagSet) => [tagSet, pending])),
  runMark: undefined,
  formerReportAt: lastReportAt(before),
});

/** Tag sets that have the check in their last report, the whole node first. */
export const tagSetsWith = ({ reports, untagged }: HealthState, check: string): readonly string[] => [
  untagged,
  ...Array.from(reports).flatMap(([name, report]) =>
    name !== untagged && lastValue(report)?.checks.has(check) === true ? name : [],
  ),
];

/**
 * Tag set whose report is used to detect check runs: the untagged one or, if it is missing, the first one with a report. Checks
 * without a tag are in all reports.
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
