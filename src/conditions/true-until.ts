// When conditions expire without another poll, and what they are after that: Unknown, since nobody has checked.

import type { HealthReport } from '../protocol/health.ts';
import { type Observed, pending } from '../snapshot/observed.ts';
import type { Sources } from '../sources/sources.ts';
import { trueUntil } from '../sources/stall.ts';
import { maxAge, type TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { type Conclusion, type Condition, type Conditions, conclude, type Target } from './condition.ts';
import { frozenDoubt } from './doubt.ts';
import { healthy } from './healthy.ts';

/** Inclusive; infinite if nothing can expire. */
export const conditionsTrueUntil = (state: TargetState, now: number): number => {
  const limit = maxAge(state);
  const asked = [state.lastPoll?.at, ...Array.from(state.sources.health.reports.values(), askedAt)];
  let until = trueUntil(state, now);
  for (const at of asked) if (at !== undefined && now - at <= limit) until = Math.min(until, at + limit);
  return until;
};

/** The time of the last request, with or without a response. */
const askedAt = (observed: Observed<HealthReport>): number | undefined => {
  if (observed.state === 'pending') return undefined;
  return observed.state === 'fresh' ? observed.at : observed.failedAt;
};

/**
 * The conditions at `now`, if nothing was polled since they were computed. A False `started` or `live` expires like True, because it causes a
 * restart. A False `ready` does not expire. The memory stays the same.
 */
export const conditionsAt = (conditions: Conditions, state: TargetState, now: number): Conditions => {
  if (now <= conditions.trueUntil) return conditions;
  const { reports } = state.sources.health;
  const after = (was: Condition, conclusion: Conclusion | undefined): Condition => {
    if (conclusion === undefined) return was;
    if (conclusion.status === was.status) return { ...was, ...conclusion };
    return { ...conclusion, lastTransitionAt: conditions.trueUntil };
  };
  const polled = stale(state.lastPoll?.at, state, now);
  const of = (name: string): Conclusion | undefined => stale(askedAt(reports.get(name) ?? pending), state, now);
  const frozen = frozenDoubt(state, now);
  return {
    ...conditions,
    started: after(conditions.started, conditions.started.status === 'Unknown' ? undefined : polled),
    live: after(conditions.live, conditions.live.status === 'Unknown' ? undefined : polled),
    ready: mapConditions(conditions.ready, (was, name) => after(was, was.status === 'True' ? (of(name) ?? frozen) : undefined)),
    healthy: mapConditions(conditions.healthy, (was, name) => {
      const tags = state.sources.health.tagSets.get(name);
      const judged = tags === undefined ? undefined : healthy({ name, tags }, state, now);
      return after(was, judged ?? (was.status === 'Unknown' ? undefined : of(name)));
    }),
    trueUntil: conditionsTrueUntil(state, now),
  };
};

/** The time until which (inclusive) the output for a target at `now` stays valid without a poll. `wallOffset`: wall clock − steady clock. */
export const shownUntil = (
  table: Sources,
  { state, conditions, maintenance }: Target,
  now: number,
  wallOffset: number,
): number => {
  // The last millisecond of the open window, because its end is exclusive.
  const maintained = maintenance === undefined ? Number.POSITIVE_INFINITY : maintenance.end - wallOffset - 0.001;
  return Math.min(trueUntil(state, now, table), conditionsAt(conditions, state, now).trueUntil, maintained);
};

const mapConditions = (
  all: ReadonlyMap<string, Condition>,
  to: (condition: Condition, name: string) => Condition,
): ReadonlyMap<string, Condition> => new Map(Array.from(all, ([name, condition]) => [name, to(condition, name)]));

/** Without a request since the last reload, the conditions from before it have expired too: the caller has checked trueUntil. */
const stale = (at: number | undefined, state: TargetState, now: number): Conclusion | undefined => {
  if (at === undefined) return conclude('Unknown', 'ReportStale', 'the node has not been polled since the configuration changed');
  if (now - at <= maxAge(state)) return undefined;
  return conclude('Unknown', 'ReportStale', `the node was last polled ${span(now - at)} ago`);
};
