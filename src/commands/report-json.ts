// Conditions, checks and notes as the JSON of the commands has them: docs/commands.md describes it, and tests hold it.

import type { Condition } from '../conditions/condition.ts';
import type { ReportedCheck } from '../report/checks.ts';
import type { Note } from '../report/notes.ts';
import { type ConditionStatus, conditionStatus } from '../server/condition-status.ts';
import { isoOf, rounded } from '../text.ts';

const types = { healthy: 'Healthy', ready: 'Ready', live: 'Live' } as const;

/** As the API has them. */
export const conditionsJson = (
  conditions: Readonly<Partial<Record<keyof typeof types, Condition>>>,
): readonly ConditionStatus[] =>
  (['healthy', 'ready', 'live'] as const).flatMap((name) => {
    const condition = conditions[name];
    return condition === undefined ? [] : [conditionStatus(types[name], condition, 0)];
  });

/** Instants in the node's clock, in UTC; ages and durations in seconds. */
export const checkJson = (reported: ReportedCheck): object => {
  const { check, state, reason, error, contiguousFailures, lists } = reported;
  const { firstFailureAt, failingFor, lastRunAt, lastRunAge, duration } = reported;
  return {
    check,
    state,
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && { error }),
    contiguousFailures,
    ...(firstFailureAt !== undefined && { firstFailureAt: isoOf(firstFailureAt) }),
    ...(failingFor !== undefined && { failingForSeconds: rounded(failingFor) }),
    ...(lastRunAt !== undefined && { lastRunAt: isoOf(lastRunAt) }),
    ...(lastRunAge !== undefined && { lastRunAgeSeconds: rounded(lastRunAge) }),
    ...(duration !== undefined && { durationSeconds: duration }),
    ...(lists !== undefined && { lists }),
  };
};

export const notesJson = (notes: readonly Note[]): readonly object[] => notes.map(({ kind, message }) => ({ kind, message }));
