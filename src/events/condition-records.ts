// Changes of the conditions of a target, as records of the event history.

import type { Condition, Target } from '../conditions/condition.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import type { TargetState } from '../sources/target-state.ts';
import { shortened } from '../text.ts';
import { type Draft, recordLimits } from './record.ts';
import { failingOthers } from './target-records.ts';

/** Conditions of the target whose status has changed, from Unknown for a new name of a tag set. `wallOffset`: wall clock − steady clock. */
export const conditionRecords = (before: Target, after: Target, wallOffset = 0): readonly Draft[] => {
  const target = after.state.options.name;
  const of = (condition: string, was: Condition | undefined, to: Condition, tagSet?: string): readonly Draft[] => {
    const from = was?.status ?? 'Unknown';
    return from === to.status || to.lastTransitionAt === undefined
      ? []
      : [
          {
            kind: 'condition',
            at: to.lastTransitionAt + wallOffset,
            target,
            condition,
            from,
            to: to.status,
            message: shortened(to.message, recordLimits.message),
            ...(to.failureReasons.length > 0 && { failureReasons: to.failureReasons }),
            ...(tagSet !== undefined && { tagSets: [tagSet], ...failingIn(after.state, tagSet) }),
          },
        ];
  };
  const ofTagSets = (condition: 'Ready' | 'Healthy', was: ByTagSet, is: ByTagSet): readonly Draft[] => [
    ...[...is].flatMap(([tagSet, to]) => of(condition, was.get(tagSet), to, tagSet)),
    ...[...was].flatMap(([tagSet, one]) => (is.has(tagSet) ? [] : of(condition, one, { ...one, ...gone }, tagSet))),
  ];
  const [was, is] = [before.conditions, after.conditions];
  return [
    ...of('Started', was.started, is.started),
    ...ofTagSets('Ready', was.ready, is.ready),
    ...ofTagSets('Healthy', was.healthy, is.healthy),
    ...of('Live', was.live, is.live),
  ];
};

type ByTagSet = ReadonlyMap<string, Condition>;

/** Until a tag set returns, its last state does not count. */
const gone = { status: 'Unknown', message: 'the tag set is no longer configured', failureReasons: [] } as const;

const failingIn = ({ sources }: TargetState, tagSet: string): Partial<Draft> => {
  const report = sources.health.reports.get(tagSet);
  return report?.state === 'fresh' ? failingOthers(failingChecks(report.value))() : {};
};
