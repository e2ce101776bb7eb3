// The answers of one poll -> the next state of a target. Pure: what was asked and answered is all there is to know.

import type { Answer } from '../client/client.ts';
import type { Failure, OutcomeKind } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { observeDate } from '../snapshot/clock.ts';
import { record } from '../snapshot/histogram.ts';
import { lastValue } from '../snapshot/observed.ts';
import { followProcess, type NodeProcess } from '../snapshot/process.ts';
import { followRestarts } from '../snapshot/restart.ts';
import { newTracking, observeReport, resetTracking } from '../snapshot/run-tracking.ts';
import type { AnySource, SourceTable } from '../sources/source.ts';
import { type Asked, type Sources, sourceNames } from '../sources/sources.ts';
import { eachSource, effectiveInterval, type LastPoll, type Tallies, type TargetState } from '../sources/target-state.ts';
import type { SourceFault } from './ask.ts';

export interface Applied<T extends SourceTable = Sources> {
  readonly state: TargetState<T>;
  readonly faults: readonly SourceFault[];
}

export interface PollTimes {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Asked because a kept-alive connection closed. */
  readonly afterClose: boolean;
  /** Of sources that could not ask on. */
  readonly faults?: readonly SourceFault[];
  /** Which socket listens at the target's address, where that is known. */
  readonly listener?: string | undefined;
}

interface Answered {
  readonly api: string;
  readonly answer: Answer<unknown>;
}

export const applyPoll = <T extends SourceTable & Sources>(
  table: T,
  known: TargetState<T>,
  asked: Asked<T>,
  { startedAt, endedAt, afterClose, faults: unasked = [], listener }: PollTimes,
): Applied<T> => {
  const names = sourceNames(table).filter((name) => asked[name] !== undefined);
  const faults = [...unasked];
  const guarded = <R>(source: string, work: () => R, otherwise: R): R => {
    try {
      return work();
    } catch (error) {
      // One target's answers must not end the watch of all others.
      faults.push({ source, error });
      return otherwise;
    }
  };
  const all = names.flatMap((name) => {
    const source: AnySource | undefined = table[name];
    return guarded(name, () => source?.answers(asked[name]) ?? [], []).map(
      (answer): Answered => ({ api: source?.api ?? name, answer }),
    );
  });
  const nodeId = all.map(({ answer }) => answer.nodeId).find((id) => id !== undefined) ?? known.nodeId;
  const renamed = known.nodeId !== undefined && nodeId !== known.nodeId;
  const before = withRestarts(known, all, asked.readiness, { at: startedAt, renamed });
  const restarted = before.restarts.count > known.restarts.count || renamed;
  const step = { options: known.options, at: endedAt, interval: effectiveInterval(known), restarted, of: asked };
  const next = eachSource(table, (source: AnySource, name) => {
    const known = before.sources[name];
    const observed = asked[name] === undefined ? known : guarded(name, () => source.observe(known, asked[name], step), known);
    const fault = faults.find((one) => one.source === name);
    return fault === undefined ? observed : source.fail(known, internalError(fault), endedAt);
  });
  const failures = [...failuresIn(all), ...faults.map(internalError)];
  const followed = asked.health === undefined ? undefined : followedReport(asked.health.reports, known.sources.health.untagged);
  const state: TargetState<T> = {
    ...before,
    sources: next,
    askedAt: new Map([
      ...(restarted ? [] : before.askedAt),
      ...answeredSources(table, asked, faults).map((name) => [name, startedAt] as const),
    ]),
    polls: tallied(before.polls, all, table, faults),
    pollDuration: record(before.pollDuration, Math.max(0, endedAt - startedAt)),
    clock: all.reduce((clock, { answer }) => observeDate(clock, answer), before.clock),
    process: processAfter(before.process, { all, failures, restarted, afterClose, at: endedAt }),
    nodeIdChanges: before.nodeIdChanges + (renamed ? 1 : 0),
    lastPoll: lastPollOf(all, failures, endedAt),
    listener,
    ...(nodeId !== undefined && { nodeId }),
  };
  const last = followed === undefined || renamed ? undefined : lastValue(before.sources.health.reports.get(followed.tagSet));
  return { state: followRuns(state, followed?.answer, last), faults };
};

/** The state after a poll that could not be understood as a whole. */
export const failAll = <T extends SourceTable & Sources>(
  table: T,
  before: TargetState<T>,
  fault: SourceFault,
  at: number,
): TargetState<T> => {
  const failure = internalError(fault);
  return {
    ...before,
    sources: eachSource(table, (source: AnySource, name) => source.fail(before.sources[name], failure, at)),
    polls: tallied(
      before.polls,
      [],
      table,
      sourceNames(table).map((source) => ({ ...fault, source })),
    ),
    lastPoll: { at, answered: new Map(), failures: [failure] },
  };
};

export const internalError = (fault: SourceFault | undefined): Failure => ({
  kind: 'internal-error',
  reason: fault?.error instanceof Error ? fault.error.message.slice(0, 200) : String(fault?.error).slice(0, 200),
});

/**
 * The report that says when the node runs its checks: the untagged one, or, where that cannot be had, the first of a tag set. The
 * checks of no tag stand in all of them.
 */
const followedReport = (
  reports: ReadonlyMap<string, Answer<HealthReport>>,
  wholeNode: string,
): { readonly tagSet: string; readonly answer: Answer<HealthReport> } | undefined => {
  const whole = reports.get(wholeNode);
  if (whole?.outcome.kind === 'ok') return { tagSet: wholeNode, answer: whole };
  for (const [tagSet, answer] of reports) if (answer.outcome.kind === 'ok') return { tagSet, answer };
  return undefined;
};

/** What brought nothing for want of an answer is asked again with the next poll, however rarely it is asked otherwise. */
const answeredSources = <T extends SourceTable & Sources>(
  table: T,
  asked: Asked<T>,
  faults: readonly SourceFault[],
): readonly string[] =>
  sourceNames(table).filter((name) => {
    const answers = asked[name];
    if (answers === undefined || faults.some(({ source }) => source === name)) return false;
    const source: AnySource | undefined = table[name];
    return source?.every === undefined || source.answers(answers).every(({ outcome }) => !unanswered.has(outcome.kind));
  });

const failuresIn = (all: readonly Answered[]): readonly Failure[] =>
  all.flatMap(({ answer: { outcome } }) => (outcome.kind === 'ok' ? [] : outcome));

const lastPollOf = (all: readonly Answered[], failures: readonly Failure[], at: number): LastPoll => {
  const answered = new Map<string, number>();
  for (const { api, answer } of all) if (answer.outcome.kind === 'ok') answered.set(api, (answered.get(api) ?? 0) + 1);
  return { at, answered, failures };
};

interface Signs {
  readonly all: readonly Answered[];
  readonly failures: readonly Failure[];
  readonly restarted: boolean;
  readonly afterClose: boolean;
  readonly at: number;
}

/** No process has answered. */
const unanswered: ReadonlySet<OutcomeKind> = new Set(['refused', 'reset', 'dns', 'timeout', 'tls', 'network']);

const processAfter = (before: NodeProcess, { all, failures, restarted, afterClose, at }: Signs): NodeProcess =>
  followProcess(before, {
    failures,
    // Whatever has a head was answered by a process.
    answered: all.some(({ answer: { outcome } }) => !unanswered.has(outcome.kind)),
    reported: all.some(({ api, answer }) => api === 'health' && answer.outcome.kind === 'ok'),
    replaced: restarted,
    afterClose,
    at,
  });

const tallied = (before: Tallies, all: readonly Answered[], table: SourceTable, faults: readonly SourceFault[]): Tallies => {
  const next = new Map(Array.from(before, ([api, outcomes]) => [api, new Map<OutcomeKind, number>(outcomes)]));
  const add = (api: string, kind: OutcomeKind): void => {
    const outcomes = next.get(api) ?? new Map<OutcomeKind, number>();
    next.set(api, outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1));
  };
  for (const { api, answer } of all) add(api, answer.outcome.kind);
  for (const { source } of faults) add(table[source]?.api ?? source, 'internal-error');
  return next;
};

/** Another process' timestamps are no progress of this one's; another node's clock is another clock. */
const withRestarts = <T extends SourceTable & Sources>(
  before: TargetState<T>,
  all: readonly Answered[],
  readiness: Answer<HealthReport> | undefined,
  { renamed, at }: { readonly renamed: boolean; readonly at: number },
): TargetState<T> => {
  const configured = before.options.healthCheckFrequency;
  const answers = all.map(({ answer }) => answer);
  const restarts = readiness === undefined ? before.restarts : followRestarts(before.restarts, answers, readiness, at);
  if (renamed) return { ...before, ...newTracking(configured), restarts };
  if (restarts.count === before.restarts.count) return { ...before, restarts };
  return { ...before, ...resetTracking(before, configured), restarts };
};

const followRuns = <T extends SourceTable>(
  target: TargetState<T>,
  answer: Answer<HealthReport> | undefined,
  known: HealthReport | undefined,
): TargetState<T> => {
  if (answer?.outcome.kind !== 'ok') return target;
  const { sentAt, endedAt, date, outcome } = answer;
  const { tracking, missed, delay } = observeReport(target, {
    report: outcome.value,
    known,
    sentAt,
    endedAt,
    configured: target.options.healthCheckFrequency,
    ...(date !== undefined && { date }),
  });
  return {
    ...target,
    ...tracking,
    missedRuns: target.missedRuns + missed,
    ...(delay !== undefined && { detectionDelay: record(target.detectionDelay, delay) }),
  };
};
