// Conditions and checks in the JSON output of commands. docs/commands.md describes it, and tests check it.

import type { Condition } from '../conditions/condition.ts';
import type { ReportedCheck } from '../report/checks.ts';
import { type ConditionStatus, conditionStatus } from '../server/condition-status.ts';
import { isoOf, rounded } from '../text.ts';

const types = { healthy: 'Healthy', ready: 'Ready', live: 'Live' } as const;

/** The same fields as in the API. */
export const conditionsJson = (
  conditions: Readonly<Partial<Record<keyof typeof types, Condition>>>,
): readonly ConditionStatus[] =>
  (['healthy', 'ready', 'live'] as const).flatMap((name) => {
    const condition = conditions[name];
    return condition === undefined ? [] : [conditionStatus(types[name], condition, 0)];
  });

const mapped = <T>(value: number | undefined, as: (value: number) => T): T | undefined =>
  value === undefined ? undefined : as(value);

/** Times in UTC by the node's clock. Ages and durations in seconds. Fields without a value are left out. */
export const checkJson = (reported: ReportedCheck) => {
  const { firstFailureAt, failingFor, lastRunAt, lastRunAge, duration, lists, ...rest } = reported;
  return {
    ...rest,
    firstFailureAt: mapped(firstFailureAt, isoOf),
    failingForSeconds: mapped(failingFor, rounded),
    lastRunAt: mapped(lastRunAt, isoOf),
    lastRunAgeSeconds: mapped(lastRunAge, rounded),
    durationSeconds: duration,
    lists,
  };
};
