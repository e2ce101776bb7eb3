// Verification of an index, as pure functions: compares it with its chain (chain.ts) and checks its containers (tail.ts).

import type { Answer } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { valueIn } from '../../snapshot/observed.ts';
import { isOtherNode } from '../source.ts';
import { type ChainState, chainQuestions, compare, lastBlockOf } from './chain.ts';
import { type IndexHead, lastOf } from './head.ts';
import type { IntegrityError, IntegrityErrorKind } from './integrity-error.ts';
import { everyIndexAnswer, type IndexAnswers, type IndexQuestions, noAnswers, noQuestions } from './questions.ts';
import {
  type Followed,
  type Following,
  followTail,
  maxContainers,
  planTail,
  reachesHead,
  type TailPlan,
  withoutTail,
} from './tail.ts';

/** Why verification restarts at the head. */
export type TailReset = 'other-node' | 'back' | 'far';

export interface Verification {
  readonly chain: ChainState;
  readonly following: Following;
  /** Errors found since the exporter's start. */
  readonly errorCounts: Readonly<Record<IntegrityErrorKind, number>>;
  /** Errors of the last poll. */
  readonly errors: readonly IntegrityError[];
  readonly reset?: TailReset;
  /** ID of the node that returned the last head. */
  readonly nodeId?: string;
}

/** State of an index before its first poll. */
export const unverified: Verification = {
  chain: {},
  following: { rangeSize: maxContainers },
  errorCounts: { gap: 0, number: 0, id: 0, time: 0, bytes: 0, hash: 0 },
  errors: [],
};

/** Results of one poll for an index: its head, and the untagged report of the same poll. */
export interface Observation {
  readonly head: Answer<IndexHead>;
  readonly report: Answer<HealthReport> | undefined;
}

interface Plan {
  readonly chain: ChainState;
  readonly following: Following;
  readonly tail?: TailPlan | undefined;
  readonly reset?: TailReset;
}

/** Without what is known of the last node, except which one it was. */
export const withoutNode = (before: Verification): Verification => ({
  ...before,
  chain: {},
  following: withoutTail(before.following),
});

/** Plans what to verify next. State of another index is discarded. */
const planOf = (before: Verification, head: IndexHead, answer: Pick<Answer<unknown>, 'nodeId'>): Plan => {
  const last = lastOf(head);
  const fromHead = (reset?: TailReset): Plan => {
    const following = withoutTail(before.following);
    return { chain: {}, following, tail: last && planTail(following, last), ...(reset && { reset }) };
  };
  if (head.state === 'off') return fromHead();
  if (isOtherNode(before.nodeId, answer.nodeId)) return fromHead('other-node');
  const { chain, following } = before;
  const tail = last && planTail(following, last);
  if (tail?.why === 'back' || (last === undefined && (following.tail?.number ?? -1n) >= 0n)) return fromHead('back');
  return { chain, following, tail, ...(tail?.why === 'far' && { reset: 'far' }) };
};

/** Requests to send in this poll; none if nothing has changed. */
export const questionsOf = (index: IndexName, before: Verification, { head: answer, report }: Observation): IndexQuestions => {
  const head = valueIn(answer);
  if (head === undefined) return noQuestions;
  const { chain, tail } = planOf(before, head, answer);
  const { accepted, numbersOf } = chainQuestions(chain, head, lastBlockOf(index, valueIn(report)));
  const last = lastOf(head);
  if (tail === undefined || last === undefined) return { accepted, numbersOf };
  const ids = new Set(reachesHead(tail, last) ? [...numbersOf, last.id] : numbersOf);
  return { accepted, numbersOf: [...ids], range: { start: tail.start, count: tail.count } };
};

/** Verification after the poll that sent the requests of `questionsOf`. */
export const nextVerification = (
  index: IndexName,
  { reset: _, ...before }: Verification,
  observation: Observation,
  asked: IndexAnswers,
): Verification => {
  const { endedAt: at, nodeId } = observation.head;
  const head = valueIn(observation.head);
  if (head === undefined) return { ...before, errors: [] };
  const plan = planOf(before, head, observation.head);
  const answers = ofNode(asked, nodeId);
  const { errors, ...following } = followed(plan, head, answers, at);
  const errorCounts = { ...before.errorCounts };
  for (const { kind } of errors) errorCounts[kind] += 1;
  return {
    ...before,
    chain: compare(plan.chain, head, lastBlockOf(index, valueIn(observation.report)), answers, at),
    following,
    errorCounts,
    errors,
    ...(plan.reset && { reset: plan.reset }),
    ...(nodeId !== undefined && { nodeId }),
  };
};

const followed = ({ following, tail }: Plan, head: IndexHead, answers: IndexAnswers, at: number): Followed => {
  if (head.state === 'off') return { ...following, errors: [] };
  const last = lastOf(head);
  return last === undefined
    ? { ...following, tail: { number: -1n, at }, errors: [] }
    : followTail(following, tail, last, answers, at);
};

/** Several nodes may share an address: if a response is from another node, all are discarded. */
const ofNode = (answers: IndexAnswers, nodeId: string | undefined): IndexAnswers =>
  everyIndexAnswer(answers).some((answer) => isOtherNode(nodeId, answer.nodeId)) ? noAnswers : answers;
