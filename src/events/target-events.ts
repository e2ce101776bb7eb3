// What happened to a target between two polls: what the log says and the event history keeps.

import { pending } from '../snapshot/observed.ts';
import type { RestartSign } from '../snapshot/restart.ts';
import type { Stall } from '../snapshot/stall.ts';
import { tagSetsWith } from '../sources/health/state.ts';
import { type CheckChange, checkChanges } from '../sources/health/transitions.ts';
import { failingChecks, type NamedCheck } from '../sources/health/worst-first.ts';
import { stallOf } from '../sources/stall.ts';
import type { TargetState } from '../sources/target-state.ts';

interface When {
  /** When it was known; seconds, exporter's clock. */
  readonly at: number;
  /** Rounds of the node's checks just before it that no poll saw: what they showed is not known. */
  readonly missedRuns: number;
}

export type CheckEvent = CheckChange &
  When & {
    /** The tag sets that the check counts for, the whole node first. */
    readonly tagSets: readonly string[];
    /** The other checks that fail in that report, worst first; at most some. */
    readonly alsoFailing: readonly string[];
    readonly alsoFailingCount: number;
  };

export type TargetEvent =
  | CheckEvent
  | (When & { readonly kind: 'node-restarted'; readonly sign: RestartSign })
  /** Another NodeID answers than before. */
  | (When & { readonly kind: 'node-id-changed'; readonly from: string; readonly to: string })
  /** No check runs any more, or they run again. `suspect`: the check that holds up the others. */
  | (When & { readonly kind: 'health-frozen'; readonly since: number; readonly suspect?: string })
  | (When & { readonly kind: 'health-running' });

/** Most names of other failing checks beside one event. */
export const maxAlsoFailing = 20;

export const eventsBetween = (before: TargetState, after: TargetState): readonly TargetEvent[] => {
  const missedRuns = after.missedRuns - before.missedRuns;
  const restarted = after.restarts.count > before.restarts.count;
  const { last } = after.restarts;
  return [
    ...(restarted && last !== undefined ? [{ kind: 'node-restarted' as const, ...last, missedRuns }] : []),
    ...nodeIdEvents(before, after).map((event) => ({ ...event, missedRuns })),
    ...frozenEvents(before, after).map((event) => ({ ...event, missedRuns })),
    ...checkEvents(before, after, restarted).map((event) => ({ ...event, missedRuns })),
  ];
};

const nodeIdEvents = (before: TargetState, after: TargetState): readonly TargetEvent[] => {
  const at = after.lastPoll?.at;
  if (before.nodeId === undefined || after.nodeId === undefined || after.nodeId === before.nodeId || at === undefined) return [];
  return [{ kind: 'node-id-changed', at, missedRuns: 0, from: before.nodeId, to: after.nodeId }];
};

const stall = (target: TargetState): Stall | undefined =>
  target.lastPoll === undefined ? undefined : stallOf(target, target.lastPoll.at);

const frozenEvents = (before: TargetState, after: TargetState): readonly TargetEvent[] => {
  const was = stall(before)?.frozen === true;
  const now = stall(after);
  const at = after.lastPoll?.at;
  if (at === undefined || now === undefined || now.frozen === was) return [];
  if (!now.frozen) return [{ kind: 'health-running', at, missedRuns: 0 }];
  const { since, suspect } = now;
  return [{ kind: 'health-frozen', at, missedRuns: 0, since, ...(suspect !== undefined && { suspect }) }];
};

/** Read from the untagged report, in which every check stands once. */
const checkEvents = (before: TargetState, after: TargetState, restarted: boolean): readonly CheckEvent[] => {
  const [was, is] = [before.sources.health, after.sources.health];
  const known = was.reports.get(was.untagged) ?? pending;
  const health = is.reports.get(is.untagged);
  if (health?.state !== 'fresh' || health === known) return [];
  const changes = checkChanges({ counts: was.transitions, before: known, report: health.value, restarted });
  const failing = changes.length === 0 ? [] : failingChecks(health.value);
  return changes.map((change) => ({
    ...change,
    at: health.at,
    missedRuns: 0,
    tagSets: tagSetsWith(change.kind === 'check-gone' ? was : is, change.check),
    ...others(failing, change.check),
  }));
};

const others = (failing: readonly NamedCheck[], name: string): Pick<CheckEvent, 'alsoFailing' | 'alsoFailingCount'> => {
  const also = failing.filter(({ check }) => check !== name).map(({ check }) => check);
  return { alsoFailing: also.slice(0, maxAlsoFailing), alsoFailingCount: also.length };
};
