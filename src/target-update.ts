// Updates a target after a poll, a reload, a change of maintenance, or a bug of the exporter.

import type { Target, Targets } from './conditions/condition.ts';
import { judge } from './conditions/judge.ts';
import { conditionsAt, conditionsTrueUntil } from './conditions/true-until.ts';
import { isRelabelled, withRulesOf } from './config/target.ts';
import { conditionRecords } from './events/condition-records.ts';
import { type LineMemory, linesOf } from './events/lines.ts';
import { recordsBetween } from './events/target-records.ts';
import type { Log } from './log.ts';
import type { MaintenanceWindow } from './maintenance/window.ts';
import { internalError, type SourceFault } from './poller/ask.ts';
import type { TargetOptions } from './snapshot/options.ts';
import type { Sources } from './sources/sources.ts';
import { withSubnets } from './sources/subnets/tag-sets.ts';
import { adjustedTarget, type TargetState } from './sources/target-state.ts';

export type TargetUpdate = Readonly<ReturnType<typeof updateTarget>>;

/** Replaces the options. With the new ones, the conditions may expire sooner. */
export const withOptions = (target: Target, options: TargetOptions, at: number): Target => {
  const { state, conditions } = target;
  const next = { ...state, options };
  if (isRelabelled(state.options, options)) return { ...target, state: next };
  return {
    ...target,
    state: next,
    conditions: { ...conditions, trueUntil: Math.min(conditions.trueUntil, conditionsTrueUntil(next, at)) },
  };
};

/** The target after a reload that changed the requests. The state of unchanged requests is kept. */
export const adjusted = (table: Sources, target: Target, options: TargetOptions, at: number): Target => {
  const { state, conditions } = target;
  // The next poll applies new rules, and records what they change.
  const next = adjustedTarget(table, state, withRulesOf(state.options, options));
  // Expired conditions expire again at the same time, and the next poll records it.
  const judged = judge(conditions, next, Math.min(at, conditions.trueUntil));
  const trueUntil = Math.min(conditions.trueUntil, judged.trueUntil);
  return withOptions({ ...target, state: next, conditions: { ...judged, trueUntil } }, options, at);
};

/** If the known subnets of the node have changed, changes only the tag sets, as a reload would. */
const withFound = (table: Sources, before: TargetState, target: Target, at: number): Target => {
  const { state, conditions } = target;
  const { known } = state.sources.subnets;
  const options = known === before.sources.subnets.known ? state.options : withSubnets(state.options, known);
  if (options === state.options) return target;
  const health = { ...state.sources.health, ...table.health.start(options, state.sources.health) };
  const next = { ...state, options, sources: { ...state.sources, health } };
  return { ...target, state: next, conditions: judge(conditions, next, at) };
};

/** The targets for which the open maintenance window has changed, with the new window. */
export const maintained = (targets: Targets, openFor: (target: string) => MaintenanceWindow | undefined): readonly Target[] =>
  [...targets].flatMap(([name, target]) => {
    const maintenance = openFor(name);
    if (maintenance === target.maintenance) return [];
    const { maintenance: _, ...rest } = target;
    return [{ ...rest, ...(maintenance && { maintenance }) }];
  });

/** The targets for which the result of `safeToRestart` has changed, with the new one. */
export const rejudged = (targets: Targets, results: ReadonlyMap<string, Target['safeToRestart']>): readonly Target[] =>
  [...targets].flatMap(([name, target]) => {
    const safeToRestart = results.get(name);
    const { result, message } = target.safeToRestart ?? {};
    const isSame = safeToRestart?.result === result && safeToRestart?.message === message;
    return safeToRestart === undefined || isSame ? [] : [{ ...target, safeToRestart }];
  });

/**
 * Updates a target after a poll that ended `at` this time. Returns the target, its new events and log lines, and the log memory for the
 * next poll.
 */
export const updateTarget = (
  table: Sources,
  { target: before, memory }: { readonly target: Target; readonly memory: LineMemory },
  state: TargetState,
  at: number,
  wallOffset = 0,
) => {
  // As they were shown just before: some may have expired since the last poll.
  const shown: Target = { ...before, conditions: conditionsAt(before.conditions, before.state, at) };
  const target: Target = { ...before, state, conditions: judge(shown.conditions, state, at) };
  const expired = conditionRecords(before, shown, wallOffset).toSorted((one, other) => one.at - other.at);
  const records = [...recordsBetween(before.state, state, wallOffset), ...conditionRecords(shown, target, wallOffset)];
  return {
    target: withFound(table, before.state, target, at),
    records: [...expired, ...records],
    ...linesOf(table, memory, { before: shown, after: target, expired, records }),
  };
};

/** Maximum number of distinct bugs that are logged per target. Their texts may contain data of the node, so their number is unlimited. */
const maxLogged = 20;

/** Logs the bug with its stack. `logged`: bugs that were logged before, which are not logged again. */
export const logOnce = (log: Log, logged: Set<string>, target: string, fault: SourceFault): void => {
  const failure = internalError(fault);
  const key = `${fault.source} ${'reason' in failure ? failure.reason : ''}`;
  if (logged.has(key) || logged.size >= maxLogged) return;
  logged.add(key);
  const stack = fault.error instanceof Error ? fault.error.stack : String(fault.error);
  log.error({ target, source: fault.source, stack }, 'response not processed: this is a bug in snowgauge');
};
