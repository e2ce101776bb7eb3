// Conditions, checks and notes as the JSON of the commands has them: docs/commands.md describes it, and tests hold it.

import type { ReportedCheck } from '../report/checks.ts';
import type { Note } from '../report/notes.ts';
import { isoOf, rounded } from '../server/text.ts';
import type { Condition } from '../verdict/condition.ts';

/** As Kubernetes writes them; types as the metrics have them. */
export const conditionsJson = (conditions: Readonly<Record<string, Condition>>): readonly object[] =>
  Object.entries(conditions).map(([name, { status, reason, message, lastTransitionAt }]) => ({
    type: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    status,
    reason,
    message,
    ...(lastTransitionAt !== undefined && { lastTransitionTime: isoOf(lastTransitionAt) }),
  }));

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
