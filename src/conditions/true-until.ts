// When conditions expire without another poll, and what they are after that: Unknown, since nobody has checked.

import { askedAt, pending } from '../snapshot/observed.ts';
import type { Sources } from '../sources/sources.ts';
import { trueUntil } from '../sources/stall.ts';
import { maxAge, type TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { type Conclusion, type Condition, type Conditions, conclude, type Target } from './condition.ts';
import { frozenDoubt, frozenStall } from './doubt.ts';
import { healthy } from './healthy.ts';

/** Inclusive; infinite if nothing can expire. */
export const conditionsTrueUntil = (state: TargetState, now: number): number => {
  const limit = maxAge(state);
  const asked = [state.lastPoll?.at, ...Array.from(state.sources.health.reports.values(), askedAt)];
  let until = trueUntil(state, now);
  for (const at of asked) if (at !== undefined && now - at <= limit) until = Math.min(until, at + limit);
  return until;
};

/**
 * The conditions at `now`, if nothing was polled since they were computed. A False `started` or `live` expires like True, because it causes a
 * restart. A False `ready` does not expire. The memory stays the same.
 */
export const conditionsAt = (conditions: Conditions, state: TargetState, now: number): Conditions => {
  if (now <= conditions.trueUntil) return conditions;
  const { lastPoll, sources } = state;
  const { reports, tagSets } = sources.health;
  const limitOf = (at: number | undefined): number => (at === undefined ? conditions.trueUntil : at + maxAge(state));
  const frozen = frozenDoubt(state, now);
  const frozenLimit = frozenStall(state, now)?.until ?? Number.POSITIVE_INFINITY;
  /** `limit`: when it expired, unless a reload has lowered the limit since. */
  const after = (was: Condition, conclusion: Conclusion | undefined, limit: number): Condition => {
    if (conclusion?.status !== 'Unknown') return was;
    if (was.status === 'Unknown') return { ...was, ...conclusion };
    return { ...conclusion, lastTransitionAt: Math.max(conditions.trueUntil, limit) };
  };
  const polled = stale(lastPoll?.at, state, now);
  const polledOf = (was: Condition): Condition => (was.status === 'Unknown' ? was : after(was, polled, limitOf(lastPoll?.at)));
  return {
    ...conditions,
    started: polledOf(conditions.started),
    live: polledOf(conditions.live),
    ready: mapConditions(conditions.ready, (was, name) => {
      if (was.status !== 'True') return was;
      const at = askedAt(reports.get(name));
      return after(was, stale(at, state, now) ?? frozen, Math.min(limitOf(at), frozenLimit));
    }),
    healthy: mapConditions(conditions.healthy, (was, name) => {
      const observed = reports.get(name) ?? pending;
      const tags = tagSets.get(name);
      const judged = tags === undefined ? undefined : healthy({ name, tags }, state, now);
      const conclusion = judged ?? (was.status === 'Unknown' ? undefined : stale(askedAt(observed), state, now));
      const limit = limitOf('value' in observed ? observed.at : undefined);
      return after(was, conclusion, was.status === 'True' ? Math.min(limit, frozenLimit) : limit);
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
