// All metric families of the health source: checks and their messages from the untagged report, tag sets from theirs.

import { type FamilyGroup, group, type RenderContext, type Row } from '../../metrics/family.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { current } from '../../snapshot/observed.ts';
import { checkGroups, type Transition, transitionRows, transitionsIn } from './check-families.ts';
import { boundedChecks, type Check } from './checks.ts';
import { messageGroup } from './message-families.ts';
import type { HealthState } from './state.ts';
import { type KnownTag, membershipGroup, type TagSetReport, tagRows, tagSetRows } from './tag-set-families.ts';

const droppedRows: readonly Row<number>[] = [
  {
    name: 'snowgauge_checks_dropped',
    type: 'gauge',
    labels: ['target'],
    unit: 'count',
    help: 'Checks of the report that are not exported: over the limit of 200, or names collided after sanitization. No sample if none.',
    source: 'checks of GET /ext/health',
    value: (dropped) => (dropped > 0 ? dropped : undefined),
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

const droppedGroup = group<number, number>(
  droppedRows,
  (dropped) => [dropped],
  () => [],
);

const reportGroups: readonly FamilyGroup<readonly Check[]>[] = [...checkGroups, messageGroup];

const wholeNode = ({ reports, untagged }: HealthState, { now, maxAge }: RenderContext): HealthReport | undefined => {
  const observed = reports.get(untagged);
  return observed === undefined ? undefined : current(observed, now, maxAge);
};

const currentTagSets = ({ reports }: HealthState, { now, maxAge }: RenderContext): readonly TagSetReport[] =>
  Array.from(reports).flatMap(([tagSet, observed]) => {
    const report = current(observed, now, maxAge);
    return report === undefined ? [] : [{ tagSet, report }];
  });

const markOf = (state: HealthState, context: RenderContext): readonly number[] => {
  const { mark } = state.runMark ?? {};
  return mark === undefined || wholeNode(state, context) === undefined ? [] : [mark];
};

const tagsOf = (state: HealthState, context: RenderContext): readonly KnownTag[] =>
  currentTagSets(state, context).flatMap(({ tagSet }) =>
    (state.tagSets.get(tagSet) ?? []).flatMap((tag): readonly KnownTag[] => {
      const adds = state.tags.adds.get(tag);
      return adds === undefined ? [] : [{ tagSet, tag, adds }];
    }),
  );

/** The report is read once for all of its families. */
const ofReport: FamilyGroup<HealthState> = {
  definitions: [...droppedGroup.definitions, ...reportGroups.flatMap(({ definitions }) => definitions)],
  families: (state, context) => {
    const report = wholeNode(state, context);
    if (report === undefined) return [];
    const checks = boundedChecks(report);
    return [
      ...droppedGroup.families(report.checks.size - checks.length, context),
      ...reportGroups.flatMap((one) => one.families(checks, context)),
    ];
  },
};

export const healthFamilies: readonly FamilyGroup<HealthState>[] = [
  group<HealthState, TagSetReport>(tagSetRows, currentTagSets, ({ tagSet }) => [tagSet]),
  {
    definitions: membershipGroup.definitions,
    families: (state, context) => membershipGroup.families(currentTagSets(state, context), context),
  },
  ofReport,
  group<HealthState, number>(markRows, markOf, () => []),
  group<HealthState, Transition>(transitionRows, transitionsIn, ({ check, to }) => [check, to]),
  group<HealthState, KnownTag>(tagRows, tagsOf, ({ tagSet, tag }) => [tagSet, tag]),
];
