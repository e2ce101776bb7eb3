// Status of the node's health, for API and page: checks, from the untagged report only, and the health of each tag set.

import { lastValue, pending } from '../../snapshot/observed.ts';
import { type ReportStatus, reportStatus } from '../observed-status.ts';
import type { StatusContext } from '../source.ts';
import { type CheckCounts, type CheckStatus, checksOf, countChecks, failingNames } from './check-status.ts';
import { type HealthState, tagSetsWith } from './state.ts';
import { doubtfulTags } from './tags.ts';

export interface TagSetStatus extends ReportStatus {
  readonly name: string;
  readonly tags: readonly string[];
  /** Tags that add no check of their own: no check of the node has them. */
  readonly unknownTags?: readonly string[];
  /** Of the checks that count for it, in its last report. */
  readonly checkCounts?: CheckCounts;
  /** Checks that do not pass, worst first. */
  readonly failingChecks?: readonly string[];
}

export interface HealthStatus {
  /** In the order of the configuration. */
  readonly tagSets: readonly TagSetStatus[];
  /** Of the last untagged report, worst first. Undefined in an outline, or if there is none. */
  readonly checks?: readonly CheckStatus[];
  /** Number of checks that are not in `checks`. */
  readonly checksLeftOut?: number;
}

export const healthStatus = (state: HealthState, context: StatusContext): HealthStatus => {
  const report = lastValue(state.reports.get(state.untagged));
  const tagSets = Array.from(state.tagSets, ([name, tags]) => tagSetStatus(state, name, tags, context));
  if (report === undefined || context.detail === 'outline') return { tagSets };
  const checks = checksOf(report, context.nodeNow, (check) => tagSetsWith(state, check));
  return { tagSets, checks, checksLeftOut: report.checks.size - checks.length };
};

const tagSetStatus = (state: HealthState, name: string, tags: readonly string[], context: StatusContext): TagSetStatus => {
  const observed = state.reports.get(name) ?? pending;
  const report = lastValue(observed);
  const { unknown } = doubtfulTags(state.tags, { name, tags });
  return {
    name,
    tags,
    ...reportStatus(observed, context),
    ...(unknown.length > 0 && { unknownTags: unknown }),
    ...(report !== undefined &&
      context.detail === 'whole' && { checkCounts: countChecks(report), failingChecks: failingNames(report) }),
  };
};
