// Applies the responses of one poll to the state of a target. A pure function of state, responses and times.

import type { Answer } from '../client/client.ts';
import type { OutcomeKind } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { observeDate } from '../snapshot/clock.ts';
import { record } from '../snapshot/histogram.ts';
import { lastValue } from '../snapshot/observed.ts';
import { followProcess } from '../snapshot/process.ts';
import { followRestarts, type Restarts, restartsOfAnother } from '../snapshot/restart.ts';
import { newTracking, observeReport, resetTracking } from '../snapshot/run-tracking.ts';
import { followedTagSet, type HealthState } from '../sources/health/state.ts';
import type { AnySource } from '../sources/source.ts';
import { type PollAnswers, type Sources, sourcesOf } from '../sources/sources.ts';
import { eachSource, effectiveInterval, type Tallies, type TargetState, validForAnother } from '../sources/target-state.ts';
import { internalError, minRenewalPeriod, type SourceFault } from './ask.ts';

export interface Applied {
  readonly state: TargetState;
  readonly faults: readonly SourceFault[];
}

export interface PollTimes {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The poll was triggered by a closed kept-alive connection. */
  readonly afterClose: boolean;
  /** Bugs of sources that threw while they sent their requests. */
  readonly faults?: readonly SourceFault[];
  readonly listener?: string | undefined;
}

interface Answered {
  readonly source: string;
  readonly api: string;
  readonly answer: Answer<unknown>;
}

/** Outcomes without a response of any process. */
export const silentOutcomes: ReadonlySet<OutcomeKind> = new Set(['refused', 'reset', 'dns', 'timeout', 'tls', 'network']);

export const applyPoll = (table: Sources, known: TargetState, asked: PollAnswers, times: PollTimes): Applied => {
  const { startedAt, endedAt, afterClose, listener, faults: unasked = [] } = times;
  const faults = [...unasked];
  const guarded = <R>(source: string, work: () => R, otherwise: R): R => {
    try {
      return work();
    } catch (error) {
      // A bug in processing the responses of one target must not end the polls of all others.
      faults.push({ source, error });
      return otherwise;
    }
  };
  const isAsked = ([name]: readonly [string, unknown]): boolean => asked[name] !== undefined;
  const all = sourcesOf(table)
    .filter(isAsked)
    .flatMap(([name, source]) =>
      guarded(name, () => source.answers(asked[name]), []).map((answer): Answered => ({ source: name, api: source.api, answer })),
    );
  const nodeId = all.map(({ answer }) => answer.nodeId).find((id) => id !== undefined) ?? known.nodeId;
  const renamed = known.nodeId !== undefined && nodeId !== known.nodeId;
  const before = withRestarts(known, all, asked.readiness, { at: startedAt, renamed });
  const restarted = before.restarts.count > known.restarts.count || renamed;
  const step = { options: known.options, at: endedAt, interval: effectiveInterval(known), restarted, of: asked };
  const valid = restarted ? validForAnother(table, before.sources, renamed ? 'node' : 'process') : before.sources;
  const sources = eachSource(table, (source, name) => {
    const state = valid[name];
    const observed = asked[name] === undefined ? state : guarded(name, () => source.observe(state, asked[name], step), state);
    const fault = faults.find((one) => one.source === name);
    return fault === undefined ? observed : source.fail(state, internalError(fault), endedAt);
  });
  const outcomes = all.map(({ answer }) => answer.outcome);
  const failures = [...outcomes.flatMap((outcome) => (outcome.kind === 'ok' ? [] : outcome)), ...faults.map(internalError)];
  /** A source without a response is asked again with the next poll, even if it is asked rarely. */
  const isDone = ([name, one]: readonly [string, AnySource]): boolean =>
    !faults.some(({ source }) => source === name) &&
    one.isWhole?.(sources[name]) !== false &&
    (one.every === undefined || !all.some(({ source, answer }) => source === name && silentOutcomes.has(answer.outcome.kind)));
  const done = sourcesOf(table).filter((one) => isAsked(one) && isDone(one));
  const renewAt = Math.max(startedAt, (before.renewedAt ?? Number.NEGATIVE_INFINITY) + minRenewalPeriod);
  const state: TargetState = {
    ...before,
    sources,
    askedAt: new Map([
      ...(restarted ? dueAt(table, renewAt) : before.askedAt),
      ...done.map(([name]) => [name, startedAt] as const),
    ]),
    ...(restarted && renewAt === startedAt && { renewedAt: startedAt }),
    polls: tallied(before.polls, all, table, faults),
    pollDuration: record(before.pollDuration, Math.max(0, endedAt - startedAt)),
    clock: all.reduce((clock, { answer }) => observeDate(clock, answer), before.clock),
    process: followProcess(before.process, {
      failures,
      // Any HTTP response shows that a process runs.
      answered: outcomes.some(({ kind }) => !silentOutcomes.has(kind)),
      reported: all.some(({ api, answer }) => api === 'health' && answer.outcome.kind === 'ok'),
      replaced: restarted,
      afterClose,
      at: endedAt,
    }),
    nodeIdChanges: before.nodeIdChanges + (renamed ? 1 : 0),
    lastPoll: { at: endedAt, answered: outcomes.some(({ kind }) => kind === 'ok'), failures },
    listener,
    ...(nodeId !== undefined && { nodeId }),
  };
  return { state: withRuns(state, asked.health?.reports, valid.health), faults };
};

/** Makes the rarely asked sources due at this time, by moving their last request back. The others are asked with each poll. */
const dueAt = (table: Sources, at: number) =>
  sourcesOf(table).flatMap(([name, { every }]) => (every === undefined ? [] : [[name, at - every] as const]));

/** The state after a poll that failed because of a bug outside of a single source. */
export const failAll = (table: Sources, before: TargetState, fault: SourceFault, at: number): TargetState => {
  const failure = internalError(fault);
  const faults = sourcesOf(table).map(([source]) => ({ ...fault, source }));
  return {
    ...before,
    sources: eachSource(table, (source, name) => source.fail(before.sources[name], failure, at)),
    polls: tallied(before.polls, [], table, faults),
    lastPoll: { at, answered: false, failures: [failure] },
  };
};

const tallied = (before: Tallies, all: readonly Answered[], table: Sources, faults: readonly SourceFault[]): Tallies => {
  const next = new Map(Array.from(before, ([api, outcomes]) => [api, new Map<OutcomeKind, number>(outcomes)]));
  const add = (api: string, kind: OutcomeKind): void => {
    const outcomes = next.get(api) ?? new Map<OutcomeKind, number>();
    next.set(api, outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1));
  };
  for (const { api, answer } of all) add(api, answer.outcome.kind);
  for (const { source } of faults) add(table[source]?.api ?? source, 'internal-error');
  return next;
};

/** After a restart, timestamps of the old process must not count as progress; a different node has a different clock too. */
const withRestarts = (
  before: TargetState,
  all: readonly Answered[],
  readiness: Answer<HealthReport> | undefined,
  { renamed, at }: { readonly renamed: boolean; readonly at: number },
): TargetState => {
  const configured = before.options.healthCheckFrequency;
  const answers = all.map(({ answer }) => answer);
  const following = (known: Restarts): Restarts =>
    readiness === undefined ? known : followRestarts(known, answers, readiness, at);
  const followed = following(before.restarts);
  const isUnsigned = renamed && followed.count === before.restarts.count;
  const restarts = isUnsigned ? following(restartsOfAnother(before.restarts)) : followed;
  const another = restarts.count === before.restarts.count ? {} : resetTracking(before, configured);
  return { ...before, ...(renamed ? newTracking(configured) : another), restarts };
};

/** `known`: the earlier reports of the same process. */
const withRuns = (
  target: TargetState,
  reports: ReadonlyMap<string, Answer<HealthReport>> = new Map(),
  known: HealthState,
): TargetState => {
  const tagSet = followedTagSet(target.sources.health, reports, ({ outcome }) => outcome.kind === 'ok') ?? '';
  const answer = reports.get(tagSet);
  if (answer?.outcome.kind !== 'ok') return target;
  const { tracking, missed, delay } = observeReport(target, {
    ...answer,
    report: answer.outcome.value,
    known: lastValue(known.reports.get(tagSet)),
    configured: target.options.healthCheckFrequency,
  });
  return {
    ...target,
    ...tracking,
    missedRuns: target.missedRuns + missed,
    countsRuns: target.countsRuns || tracking.interval.confirmed !== undefined,
    ...(delay !== undefined && { detectionDelay: record(target.detectionDelay, delay) }),
  };
};
