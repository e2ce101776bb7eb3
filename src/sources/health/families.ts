// Every family of the health source: checks and their messages from the untagged report, tag sets from theirs.

import { type Family, type FamilyGroup, group, type RenderContext, type Row } from '../../metrics/family.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { current } from '../../snapshot/observed.ts';
import { checkGroups, transitionGroup } from './check-families.ts';
import { boundedChecks, type Check } from './checks.ts';
import { messageGroup } from './message-families.ts';
import type { HealthState } from './state.ts';
import { type KnownTag, type TagSetReport, tagGroup, tagSetGroups } from './tag-set-families.ts';

interface Dropped {
  readonly dropped: number;
}

const droppedRows: readonly Row<Dropped>[] = [
  {
    name: 'snowgauge_checks_dropped',
    type: 'gauge',
    labels: ['target'],
    unit: 'count',
    help: 'Checks of the report that are not exported: over the limit of 200, or names collided after sanitization. No sample if none.',
    source: 'checks of GET /ext/health',
    value: ({ dropped }) => (dropped > 0 ? dropped : undefined),
  },
];

const droppedGroup = group<Dropped, Dropped>(
  droppedRows,
  (one) => [one],
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

const tagsOf = (state: HealthState, context: RenderContext): readonly KnownTag[] =>
  currentTagSets(state, context).flatMap(({ tagSet }) =>
    (state.tagSets.get(tagSet) ?? []).flatMap((tag): readonly KnownTag[] => {
      const adds = state.tags.adds.get(tag);
      return adds === undefined ? [] : [{ tagSet, tag, adds }];
    }),
  );

export const healthFamilies: readonly FamilyGroup<HealthState>[] = [
  {
    definitions: tagSetGroups.flatMap(({ definitions }) => definitions),
    families: (state, context) => {
      const reports = currentTagSets(state, context);
      return tagSetGroups.flatMap((one) => one.families(reports, context));
    },
  },
  {
    definitions: [...droppedGroup.definitions, ...reportGroups.flatMap(({ definitions }) => definitions)],
    families: (state, context): readonly Family[] => {
      const report = wholeNode(state, context);
      if (report === undefined) return [];
      const checks = boundedChecks(report);
      return [
        ...droppedGroup.families({ dropped: report.checks.size - checks.length }, context),
        ...reportGroups.flatMap((one) => one.families(checks, context)),
      ];
    },
  },
  {
    definitions: transitionGroup.definitions,
    families: ({ transitions }, context) => transitionGroup.families(transitions, context),
  },
  { definitions: tagGroup.definitions, families: (state, context) => tagGroup.families(tagsOf(state, context), context) },
];
