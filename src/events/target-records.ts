// Compares the states of a target before and after a poll, and makes records of the differences.

import type { CheckResult } from '../protocol/health.ts';
import { reasonOf } from '../protocol/reasons.ts';
import { pending } from '../snapshot/observed.ts';
import { tagSetsWith } from '../sources/health/state.ts';
import { type CheckChange, checkChanges } from '../sources/health/transitions.ts';
import { failingChecks, type NamedCheck } from '../sources/health/worst-first.ts';
import { lastVersion } from '../sources/info/state.ts';
import { lastStallOf, stallOf } from '../sources/stall.ts';
import type { TargetState } from '../sources/target-state.ts';
import { isoOf, shortened } from '../text.ts';
import { type Draft, recordLimits } from './record.ts';

type When = (at: number) => Pick<Draft, 'target' | 'at' | 'missedRuns'>;

const restartSigns = {
  refused: 'its port was closed in between',
  readiness: 'its readiness history was reset',
} as const;

/** `wallOffset`: wall clock − steady clock. */
export const recordsBetween = (before: TargetState, after: TargetState, wallOffset = 0): readonly Draft[] => {
  const { lastPoll, restarts, options } = after;
  if (lastPoll === undefined) return [];
  const missedRuns = after.missedRuns - before.missedRuns;
  const when: When = (at) => ({ target: options.name, at: at + wallOffset, ...(missedRuns > 0 && { missedRuns }) });
  const restart = restarts.count > before.restarts.count ? restarts.last : undefined;
  const [from, to] = [before.nodeId, after.nodeId];
  const records: Draft[] = [];
  if (restart !== undefined) records.push({ kind: 'node-restarted', ...when(restart.at), message: restartSigns[restart.sign] });
  if (from !== undefined && to !== undefined && from !== to)
    records.push({ kind: 'node-id-changed', ...when(lastPoll.at), from, to });
  const [old, current] = [before, after].map(({ sources: { info } }) => lastVersion(info));
  if (old !== undefined && current !== undefined && old !== current)
    records.push({ kind: 'version-changed', ...when(lastPoll.at), from: old, to: current });
  return [
    ...records,
    ...frozenRecords(before, after, wallOffset).map((record) => ({ ...when(lastPoll.at), ...record })),
    // Like the counters: the report of another node proves nothing about this one.
    ...checkRecords(before, after, when, restart !== undefined || after.nodeIdChanges > before.nodeIdChanges),
  ];
};

/** One record when health checks stop, one when they run again. Failed polls in between change nothing. */
const frozenRecords = (
  before: TargetState,
  after: TargetState,
  wallOffset: number,
): readonly Pick<Draft, 'kind' | 'message' | 'check'>[] => {
  // As of the report, like the state before: the poll ends a moment later.
  const now = after.lastPoll && stallOf(after, after.lastPoll.at) && lastStallOf(after);
  if (now === undefined || now.frozen === (lastStallOf(before)?.frozen ?? false)) return [];
  if (!now.frozen) return [{ kind: 'health-running' }];
  const { since, suspect } = now;
  const message = `no check has run since ${isoOf(since + wallOffset)}`;
  return [{ kind: 'health-frozen', message, ...(suspect !== undefined && { check: shortened(suspect, recordLimits.name) }) }];
};

/** From the untagged report, which has every check once. */
const checkRecords = (before: TargetState, after: TargetState, when: When, restarted: boolean): readonly Draft[] => {
  const [was, is] = [before.sources.health, after.sources.health];
  const known = was.reports.get(was.untagged) ?? pending;
  const health = is.reports.get(is.untagged);
  if (health?.state !== 'fresh' || health === known) return [];
  const all = checkChanges({ counts: was.transitions, before: known, report: health.value, restarted });
  const changes = all.slice(0, recordLimits.changes);
  const others = failingOthers(changes.length === 0 ? [] : failingChecks(health.value));
  return changes.map((change) => ({
    ...when(health.at),
    ...recordOf(change),
    tagSets: tagSetsWith(change.kind === 'check-gone' ? was : is, change.check),
    ...others(change.check),
  }));
};

/** The record of a check's change, without target and time. */
export const recordOf = ({ check, failure, result, ...rest }: CheckChange): Omit<Draft, 'target' | 'at'> => ({
  ...rest,
  check: shortened(check, recordLimits.name),
  ...(failure !== undefined && ofFailure(check, failure)),
  ...(typeof result?.timestamp === 'number' && { lastRunAt: result.timestamp }),
  ...(result?.duration !== undefined && { durationSeconds: result.duration }),
});

const ofFailure = (check: string, failure: CheckResult): Partial<Draft> => {
  const { error = '', timeOfFirstFailure, contiguousFailures } = failure;
  const reason = reasonOf(check, failure);
  return {
    error: shortened(error, recordLimits.error),
    ...(reason !== undefined && { reason }),
    contiguousFailures,
    ...(timeOfFirstFailure !== undefined && { firstFailureAt: timeOfFirstFailure }),
  };
};

/** The other failing checks, worst first. `but`: the check that the record is about. */
export const failingOthers = (failing: readonly NamedCheck[]): ((but?: string) => Partial<Draft>) => {
  const checks = new Set(failing.map(({ check }) => check));
  const first = failing
    .slice(0, recordLimits.names + 1)
    .map(({ check }) => ({ check, name: shortened(check, recordLimits.name) }));
  return (but) => {
    const alsoFailingCount = checks.size - (but !== undefined && checks.has(but) ? 1 : 0);
    const others = first.flatMap(({ check, name }) => (check === but ? [] : name));
    return alsoFailingCount === 0 ? {} : { alsoFailing: others.slice(0, recordLimits.names), alsoFailingCount };
  };
};
