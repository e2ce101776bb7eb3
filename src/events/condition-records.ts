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
  const [was, is] = [before.conditions, after.conditions];
  return [
    ...of('Started', was.started, is.started),
    ...[...is.ready].flatMap(([tagSet, to]) => of('Ready', was.ready.get(tagSet), to, tagSet)),
    ...[...is.healthy].flatMap(([tagSet, to]) => of('Healthy', was.healthy.get(tagSet), to, tagSet)),
    ...of('Live', was.live, is.live),
  ];
};

const failingIn = ({ sources }: TargetState, tagSet: string): Partial<Draft> => {
  const report = sources.health.reports.get(tagSet);
  return report?.state === 'fresh' ? failingOthers(failingChecks(report.value))() : {};
};
