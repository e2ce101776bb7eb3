// Reasons why a report without failing checks does not prove that the node is healthy.

import type { HealthReport } from '../protocol/health.ts';
import type { TagSet } from '../snapshot/options.ts';
import type { Stall } from '../snapshot/stall.ts';
import { doubtfulTags } from '../sources/health/tags.ts';
import { staleStallOf, stallOf } from '../sources/stall.ts';
import { maxAge, type TargetState } from '../sources/target-state.ts';
import { printable, span } from '../text.ts';
import { type Conclusion, conclude } from './condition.ts';

/** In this order: there are no checks, a tag adds no check, a tag is not verified yet, the checks are frozen. */
export const doubtOf = (report: HealthReport, tagSet: TagSet, state: TargetState, now: number): Conclusion | undefined =>
  (report.checks.size === 0 ? noChecks : undefined) ?? tagDoubt(tagSet, state) ?? frozenDoubt(state, now);

/** A node has checks from its start on, so the response may not come from a node. */
const noChecks: Conclusion = conclude('Unknown', 'NoChecks', 'the report has no checks');

export const unknownTagText = (tags: readonly string[]): string => {
  const all = listOf(tags.map((tag) => JSON.stringify(printable(tag, 64))));
  return `the node has no check with tag ${all}, so only global checks are reported: is it the id of a subnet that the node tracks, and has the P-Chain bootstrapped?`;
};

const tagDoubt = (tagSet: TagSet, { sources: { health } }: TargetState): Conclusion | undefined => {
  const { unknown, undecided } = doubtfulTags(health.tags, tagSet);
  if (unknown.length > 0) {
    return conclude('Unknown', 'UnknownTag', unknownTagText(unknown));
  }
  if (undecided.length === 0) return undefined;
  return conclude('Unknown', 'TagNotVerified', `not verified yet whether any check has the tag ${listOf(undecided)}`);
};

/** The report is too old because the exporter was delayed and has not polled since. `at`: when the report arrived. */
export const tooOld = (at: number, state: TargetState, now: number): Conclusion | undefined =>
  now - at > maxAge(state) ? outdated(at, now) : undefined;

export const outdated = (at: number, now: number): Conclusion =>
  conclude('Unknown', 'ReportStale', `the last report is ${span(now - at)} old`);

const listOf = (tags: readonly string[]): string => printable(tags.join(', '), 200);

/** If the last poll failed, the last report still counts. */
export const frozenStall = (state: TargetState, now: number): Stall | undefined => {
  const stall = stallOf(state, now) ?? staleStallOf(state, now);
  return stall?.frozen === true ? stall : undefined;
};

/** The health worker of the node no longer runs its checks. */
export const frozenDoubt = (state: TargetState, now: number): Conclusion | undefined => {
  const stall = frozenStall(state, now);
  if (stall === undefined) return undefined;
  const suspect = stall.suspect === undefined ? '' : `, perhaps at ${printable(stall.suspect, 64)}`;
  const message = `no check has run for ${span(now - stall.since)}: the node's health worker hangs${suspect}`;
  return conclude('Unknown', 'HealthFrozen', message);
};
