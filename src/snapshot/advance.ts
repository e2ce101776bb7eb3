// One round of polls makes the next snapshot of a target. Pure: what was asked and answered is all there is to know.

import type { Answer } from '../client/client.ts';
import type { Outcome, OutcomeKind } from '../client/outcome.ts';
import type { Container } from '../protocol/container.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { IndexName } from '../protocol/paths.ts';
import { type Look, look, unknownCadence } from './cadence.ts';
import { type Clock, narrow, skewOf } from './clock.ts';
import { followMovement, type Movement } from './frozen.ts';
import { record } from './histogram.ts';
import { type IndexHead, indexHead } from './index-head.ts';
import { type Pace, pace } from './index-pace.ts';
import { everyIndexAnswer, type IndexAnswers, noAnswers } from './index-questions.ts';
import { watchIndex } from './index-watch.ts';
import { type NodeRound, newestRound, sameRound } from './node-round.ts';
import { type Observed, observe, pending } from './observed.ts';
import { followRestarts } from './restart.ts';
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
    clock: all.reduce((clock, { answer }) => byDate(clock, answer), before.clock),
    tags: followTags(before, { health: answers.health, tags: answers.tags ?? new Map() }, lastPollAt, effectiveCadence(before)),
    movement: moved(before, answers, restarted),
    lastPollAt,
    ...(nodeId !== undefined && { nodeId }),
  };
  return followRounds(asked, report);
};

/** Another process' timestamps are no movement of this one's. */
const moved = ({ health, options, movement }: TargetSnapshot, answers: Answers, restarted: boolean): Movement => {
  const { name } = untagged(options);
  const answer = answers.health.get(name);
  const before = restarted ? { quietLooks: 0 } : movement;
  if (answer?.outcome.kind !== 'ok') return before;
  const last = health.get(name);
  const known = before.movedAt !== undefined && (last?.state === 'fresh' || last?.state === 'stale') ? last.value : undefined;
  return followMovement(before, known, answer.outcome.value, answer.endedAt);
};

/** A process that began anew has a rhythm of its own: what was learnt of the old one's is only where to start from. */
const withRestarts = (before: TargetSnapshot, answers: Answers): TargetSnapshot => {
  const all = [...answers.health.values(), answers.readiness, answers.liveness, ...answers.indexes.values()];
  const at = Math.max(...all.map(({ endedAt }) => endedAt));
  const restarts = followRestarts(before.restarts, all, answers.readiness, at);
  if (restarts.count === before.restarts.count) return { ...before, restarts };
  const { inferred } = before.cadence;
  const anew = unknownCadence(before.options.healthCheckFrequency);
  return { ...before, restarts, cadence: inferred === undefined ? anew : { ...anew, inferred } };
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

/** The Date header is the node's clock rounded down to the second, read between our asking and our having the answer. */
const byDate = (clock: Clock, { date, sentAt, endedAt }: Answer<unknown>): Clock =>
  date === undefined ? clock : narrow(clock, date - endedAt, date + 1 - sentAt, endedAt);

const followRounds = (target: TargetSnapshot, answer: Answer<HealthReport> | undefined): TargetSnapshot => {
  const round = answer?.outcome.kind === 'ok' ? newestRound(answer.outcome.value) : undefined;
  if (answer === undefined || round === undefined) return target;
  const { sentAt, endedAt } = answer;
  const seen = look(target.cadence, { sentAt, endedAt, round });
  const clock = byRound(target, { sentAt, endedAt, round });
  const skew = skewOf(clock);
  const delay = seen.completed && skew !== undefined ? Math.max(0, endedAt + skew - round.end) : undefined;
  return {
    ...target,
    clock,
    cadence: seen.cadence,
    missedRuns: target.missedRuns + seen.missed,
    ...(delay !== undefined && { detectionDelay: record(target.detectionDelay, delay) }),
  };
};

/** Finer than the Date header: the newest result was there when we had the answer, and not yet when we asked the time before. */
const byRound = ({ clock, cadence }: TargetSnapshot, { endedAt, round }: Look): Clock => {
  const since = newSince(cadence.round, round);
  const upper = since !== undefined && cadence.askedAt !== undefined ? since - cadence.askedAt : Number.POSITIVE_INFINITY;
  return narrow(clock, round.end - endedAt, upper, endedAt);
};

/** When a result came that the last look did not show; the node's clock. */
const newSince = (known: NodeRound | undefined, round: NodeRound): number | undefined => {
  if (known === undefined) return undefined;
  if (round.start > known.start + sameRound) return round.firstResult;
  return round.end > known.end ? round.end : undefined;
};

const mapValues = <K, V, W>(map: ReadonlyMap<K, V>, to: (value: V, key: K) => W): ReadonlyMap<K, W> =>
  new Map([...map].map(([key, value]) => [key, to(value, key)]));
