// A check as the JSON of `check` and `explain` says it: docs/commands.md describes it, and tests hold it.

import type { Finding } from '../report/finding.ts';
import type { Note } from '../report/notes.ts';
import { isoOf, rounded } from '../server/text.ts';

/** Instants in the node's clock, in UTC; ages and durations in seconds. */
export const findingJson = (finding: Finding): object => {
  const { check, state, reason, error, contiguousFailures, lists } = finding;
  const { firstFailureAt, failingFor, lastRunAt, lastRunAge, duration } = finding;
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

export const notesJson = (notes: readonly Note[]): readonly object[] => notes.map(({ kind, text }) => ({ kind, text }));
