// All metric families of the health source: checks and their messages from the untagged report, tag sets from theirs.

import { oneOrNone } from '../../lists.ts';
import { type FamilyGroup, group, type RenderContext, type Row, readOnce } from '../../metrics/family.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { current } from '../../snapshot/observed.ts';
import { checkGroups, type Transition, transitionRows, transitionsIn } from './check-families.ts';
import { boundedChecks } from './checks.ts';
import { messageGroup } from './message-families.ts';
import type { HealthState } from './state.ts';
import { type KnownTag, membershipGroup, type TagSetReport, tagRows, tagSetRows } from './tag-set-families.ts';
import type { NamedCheck } from './worst-first.ts';

/** The checks of the untagged report: up to the limit, and how many exceed it. */
interface ExportedChecks {
  readonly checks: readonly NamedCheck[];
  readonly dropped: number;
}

const droppedRows: readonly Row<ExportedChecks>[] = [
  {
    name: 'snowgauge_checks_dropped',
    type: 'gauge',
    labels: ['target'],
    unit: 'count',
    help: 'Checks of the report that are not exported: over the limit of 200. No sample if none.',
    source: 'checks of GET /ext/health',
    value: ({ dropped }) => (dropped > 0 ? dropped : undefined),
  },
];

const markRows: readonly Row<number>[] = [
  {
    name: 'snowgauge_health_run_mark_timestamp_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'timestamp',
    help: 'Completion time of a reference check in the first health check run of every 256 s, by the node clock. Identical for all exporters of the same node process. No sample if that run was missed.',
    source: 'timestamp of the checks',
    stability: 'beta',
    value: (mark) => mark,
  },
];

const exportedChecks = (state: HealthState, context: RenderContext): ExportedChecks => {
  const report = wholeNode(state, context);
  const checks = report === undefined ? [] : boundedChecks(report);
  return { checks, dropped: (report?.checks.size ?? 0) - checks.length };
};

const wholeNode = ({ reports, untagged }: HealthState, { now, maxAge }: RenderContext): HealthReport | undefined => {
  const observed = reports.get(untagged);
  return observed === undefined ? undefined : current(observed, now, maxAge);
};

const currentTagSets = ({ reports }: HealthState, { now, maxAge }: RenderContext): readonly TagSetReport[] =>
  Array.from(reports).flatMap(([tagSet, observed]) => {
    const report = current(observed, now, maxAge);
    return report === undefined ? [] : [{ tagSet, report }];
  });

const markOf = (state: HealthState, context: RenderContext): readonly number[] =>
  wholeNode(state, context) === undefined ? [] : oneOrNone(state.runMark?.mark);

const tagsOf = (state: HealthState, context: RenderContext): readonly KnownTag[] =>
  currentTagSets(state, context).flatMap(({ tagSet }) =>
    (state.tagSets.get(tagSet) ?? []).flatMap((tag): readonly KnownTag[] => {
      const adds = state.tags.adds.get(tag);
      return adds === undefined ? [] : [{ tagSet, tag, adds }];
    }),
  );

export const healthFamilies: readonly FamilyGroup<HealthState>[] = [
  readOnce<HealthState, readonly TagSetReport[]>(currentTagSets, [
    group<readonly TagSetReport[], TagSetReport>(
      tagSetRows,
      (all) => all,
      ({ tagSet }) => [tagSet],
    ),
    membershipGroup,
  ]),
  readOnce<HealthState, ExportedChecks>(exportedChecks, [
    group<ExportedChecks, ExportedChecks>(droppedRows, (one) => [one]),
    readOnce<ExportedChecks, readonly NamedCheck[]>(({ checks }) => checks, [...checkGroups, messageGroup]),
  ]),
  group<HealthState, number>(markRows, markOf),
  group<HealthState, Transition>(transitionRows, transitionsIn, ({ check, to }) => [check, to]),
  group<HealthState, KnownTag>(tagRows, tagsOf, ({ tagSet, tag }) => [tagSet, tag]),
];
