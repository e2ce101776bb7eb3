// One round of polls makes the next snapshot of a target. Pure: what was asked and answered is all there is to know.

import type { Answer } from '../client/client.ts';
import type { Outcome, OutcomeKind } from '../client/outcome.ts';
import type { Container } from '../protocol/container.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { IndexName } from '../protocol/paths.ts';
import { observeDate } from './clock.ts';
import { record } from './histogram.ts';
import { type IndexHead, indexHead } from './index-head.ts';
import { type Pace, pace } from './index-pace.ts';
import { everyIndexAnswer, type IndexAnswers, noAnswers } from './index-questions.ts';
import { watchIndex } from './index-watch.ts';
import { type Observed, observe, pending } from './observed.ts';
import { followRestarts } from './restart.ts';
import { observeReport, resetTracking } from './run-tracking.ts';
import { type Api, effectiveCadence, type PollTally, type TargetSnapshot, untagged } from './snapshot.ts';
import { followTags } from './tag-knowledge.ts';
import { countTransitions } from './transitions.ts';

/** The answers to all questions of one round, each as it ended. */
export interface Answers {
  /** By tag set. */
  readonly health: ReadonlyMap<string, Answer<HealthReport>>;
  readonly readiness: Answer<HealthReport>;
  readonly liveness: Answer<HealthReport>;
  readonly indexes: ReadonlyMap<IndexName, Answer<Container>>;
  /** By the tag that was asked for alone, where any was: see tag-knowledge.ts. */
  readonly tags?: ReadonlyMap<string, Answer<HealthReport>>;
  /** To what questionsOf asked; of an index that was asked nothing more there is none. */
  readonly watches?: ReadonlyMap<IndexName, IndexAnswers>;
}

export const advance = (known: TargetSnapshot, answers: Answers): TargetSnapshot => {
  const before = withRestarts(known, answers);
  const restarted = before.restarts.count > known.restarts.count;
  const heads = mapValues(answers.indexes, (answer, index) => readHead(before, index, answer));
  const report = answers.health.get(untagged(before.options).name);
  const all = everyAnswer(answers, heads);
  const lastPollAt = Math.max(...all.map(({ answer }) => answer.endedAt));
  const nodeId = all.map(({ answer }) => answer.nodeId).find((id) => id !== undefined) ?? before.nodeId;
  const asked: TargetSnapshot = {
    ...before,
    health: mapValues(before.health, (observed, name) => observeAnswer(observed, answers.health.get(name))),
    readiness: observeAnswer(before.readiness, answers.readiness),
    liveness: observeAnswer(before.liveness, answers.liveness),
    indexes: mapValues(before.indexes, (observed, index) => observeAnswer(observed, heads.get(index))),
    paces: followPaces(before, heads),
    watches: mapValues(before.watches, (watch, index) => {
      const head = heads.get(index);
      const more = answers.watches?.get(index) ?? noAnswers;
      return head === undefined ? watch : watchIndex(index, watch, { head, report }, more);
    }),
    polls: mapValues(before.polls, (tally, api) => all.filter((one) => one.api === api).reduce(count, tally)),
    transitions: mapValues(before.transitions, (counts, name) => {
      const outcome = answers.health.get(name)?.outcome;
      if (outcome?.kind !== 'ok') return counts;
      return countTransitions({ counts, before: before.health.get(name) ?? pending, report: outcome.value, restarted });
    }),
    clock: all.reduce((clock, { answer }) => observeDate(clock, answer), before.clock),
    tags: followTags(before, { health: answers.health, tags: answers.tags ?? new Map() }, lastPollAt, effectiveCadence(before)),
    lastPollAt,
    ...(nodeId !== undefined && { nodeId }),
  };
  return followRuns(asked, report, valueIn(before.health.get(untagged(before.options).name)));
};

/** Another process' timestamps are no progress of this one's. */
const withRestarts = (before: TargetSnapshot, answers: Answers): TargetSnapshot => {
  const all = [...answers.health.values(), answers.readiness, answers.liveness, ...answers.indexes.values()];
  const at = Math.max(...all.map(({ endedAt }) => endedAt));
  const restarts = followRestarts(before.restarts, all, answers.readiness, at);
  if (restarts.count === before.restarts.count) return { ...before, restarts };
  const known = { interval: before.cadence, clock: before.clock, progress: before.movement };
  const { interval, progress } = resetTracking(known, before.options.healthCheckFrequency);
  return { ...before, restarts, cadence: interval, movement: progress };
};

interface Asked {
  readonly api: Api;
  readonly answer: Answer<unknown>;
}

const everyAnswer = (answers: Answers, heads: ReadonlyMap<IndexName, Answer<IndexHead>>): readonly Asked[] => [
  ...[...answers.health.values(), ...(answers.tags?.values() ?? [])].map((answer) => ({ api: 'health' as const, answer })),
  { api: 'readiness', answer: answers.readiness },
  { api: 'liveness', answer: answers.liveness },
  ...[...heads.values(), ...Array.from(answers.watches?.values() ?? []).flatMap(everyIndexAnswer)].map((answer) => ({
    api: 'index' as const,
    answer,
  })),
];

/** What the answer to index.getLastAccepted says, beside what was known of the index before. */
export const readHead = (before: TargetSnapshot, index: IndexName, answer: Answer<Container>): Answer<IndexHead> => {
  const known = before.indexes.get(index);
  const value = known?.state === 'fresh' || known?.state === 'stale' ? known.value : undefined;
  return { ...answer, outcome: indexHead(index, answer.outcome, value) };
};

const followPaces = (before: TargetSnapshot, heads: ReadonlyMap<IndexName, Answer<IndexHead>>): TargetSnapshot['paces'] => {
  const paces = new Map<IndexName, Pace>(before.paces);
  for (const [index, { outcome, endedAt }] of heads) {
    if (outcome.kind === 'ok') paces.set(index, pace(paces.get(index) ?? [], outcome.value, endedAt));
  }
  return paces;
};

const observeAnswer = <T>(
  before: Observed<T>,
  answer: { readonly outcome: Outcome<T>; readonly endedAt: number } | undefined,
): Observed<T> => (answer === undefined ? before : observe(before, answer.outcome, answer.endedAt));

const count = (tally: PollTally, { answer }: Asked): PollTally => {
  const outcomes = new Map<OutcomeKind, number>(tally.outcomes);
  const { kind } = answer.outcome;
  outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  return { outcomes, duration: record(tally.duration, Math.max(0, answer.endedAt - answer.sentAt)) };
};

const followRuns = (target: TargetSnapshot, answer: Answer<HealthReport> | undefined, known: HealthReport | undefined) => {
  if (answer?.outcome.kind !== 'ok') return target;
  const { sentAt, endedAt, date, outcome } = answer;
  const { tracking, missed, delay } = observeReport(
    { interval: target.cadence, clock: target.clock, progress: target.movement },
    {
      report: outcome.value,
      known,
      sentAt,
      endedAt,
      ...(date !== undefined && { date }),
      configured: target.options.healthCheckFrequency,
    },
  );
  return {
    ...target,
    clock: tracking.clock,
    cadence: tracking.interval,
    movement: tracking.progress,
    missedRuns: target.missedRuns + missed,
    ...(delay !== undefined && { detectionDelay: record(target.detectionDelay, delay) }),
  };
};

const valueIn = (observed: Observed<HealthReport> | undefined): HealthReport | undefined =>
  observed?.state === 'fresh' || observed?.state === 'stale' ? observed.value : undefined;

const mapValues = <K, V, W>(map: ReadonlyMap<K, V>, to: (value: V, key: K) => W): ReadonlyMap<K, W> =>
  new Map([...map].map(([key, value]) => [key, to(value, key)]));
