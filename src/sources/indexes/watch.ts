// What is known of an index beyond its head, as a pure step: how it compares with its chain (chain.ts), and how far its
// tail was looked at and what was wrong there (tail.ts).

import type { Answer } from '../../client/client.ts';
import type { Container } from '../../protocol/container.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { type ChainState, chainEnd, chainQuestions, compare } from './chain.ts';
import type { IndexFault, IndexFaultKind } from './fault.ts';
import { type IndexHead, lastOf } from './head.ts';
import { everyIndexAnswer, type IndexAnswers, type IndexQuestions, noAnswers, noQuestions } from './questions.ts';
import {
  type Followed,
  type Following,
  follow,
  maxContainers,
  planTail,
  reachesHead,
  type TailPlan,
  withoutTail,
} from './tail.ts';

/** Why the tail is followed from the head again. */
export type TailReset = 'other-node' | 'back' | 'far';

export interface IndexWatch {
  readonly chain: ChainState;
  readonly following: Following;
  /** Faults found since the exporter's start. */
  readonly faultCounts: Readonly<Record<IndexFaultKind, number>>;
  /** Those of the last poll among them. */
  readonly faults: readonly IndexFault[];
  readonly reset?: TailReset;
  /** Of the node that gave the last head. */
  readonly nodeId?: string;
}

const noFaults: IndexWatch['faultCounts'] = { gap: 0, number: 0, id: 0, time: 0, bytes: 0, hash: 0 };

const countFaults = (before: IndexWatch['faultCounts'], faults: readonly IndexFault[]): IndexWatch['faultCounts'] => {
  const counts = { ...before };
  for (const { kind } of faults) counts[kind] += 1;
  return counts;
};

export const newIndexWatch = (index: IndexName): IndexWatch => ({
  chain: {},
  following: { stretch: maxContainers, index },
  faultCounts: noFaults,
  faults: [],
});

/** What one poll brought of an index: its head, and the untagged report of the same poll. */
export interface IndexObservation {
  readonly head: Answer<IndexHead>;
  readonly report: Answer<HealthReport> | undefined;
}

interface Plan {
  readonly chain: ChainState;
  readonly following: Following;
  readonly tail?: TailPlan;
  readonly reset?: TailReset;
}

/** What to look at of the tail. Of numbers that another index gave nothing is carried over. */
const planOf = (watch: IndexWatch, head: IndexHead, nodeId: string | undefined): Plan => {
  const forgotten = { chain: {}, following: withoutTail(watch.following) };
  const last = lastOf(head);
  if (head.state === 'off') return forgotten;
  if (nodeId !== undefined && watch.nodeId !== undefined && nodeId !== watch.nodeId)
    return { ...forgotten, ...withTail(forgotten.following, last), reset: 'other-node' };
  const known = { chain: watch.chain, following: watch.following, ...withTail(watch.following, last) };
  const number = watch.following.tail?.number ?? -1n;
  if (known.tail?.why === 'back' || (last === undefined && number >= 0n))
    return { ...forgotten, ...withTail(forgotten.following, last), reset: 'back' };
  return known.tail?.why === 'far' ? { ...known, reset: 'far' } : known;
};

const withTail = (following: Following, last: Container | undefined): Pick<Plan, 'tail'> => {
  const tail = last === undefined ? undefined : planTail(following, last);
  return tail === undefined ? {} : { tail };
};

const valueIn = <T>(answer: Answer<T> | undefined): T | undefined =>
  answer?.outcome.kind === 'ok' ? answer.outcome.value : undefined;

/** What is to be asked in this poll; nothing at all where nothing has moved. */
export const questionsOf = (index: IndexName, watch: IndexWatch, { head: answer, report }: IndexObservation): IndexQuestions => {
  const head = valueIn(answer);
  if (head === undefined) return noQuestions;
  const { chain, tail } = planOf(watch, head, answer.nodeId);
  const { accepted, numbersOf } = chainQuestions(chain, head, chainEnd(index, valueIn(report)));
  const last = lastOf(head);
  if (tail === undefined || last === undefined) return { accepted, numbersOf };
  const ids = new Set(reachesHead(tail, last) ? [...numbersOf, last.id] : numbersOf);
  return { accepted, numbersOf: [...ids], stretch: { start: tail.start, count: tail.count } };
};

/** What is known after the poll in which the questions of `questionsOf` were asked. */
export const watchIndex = (index: IndexName, before: IndexWatch, seen: IndexObservation, answers: IndexAnswers): IndexWatch => {
  const { endedAt: at, nodeId } = seen.head;
  const { reset: _, ...known } = before;
  const lastNodeId = nodeId ?? before.nodeId;
  const head = valueIn(seen.head);
  if (head === undefined) return { ...known, faults: [] };
  const plan = planOf(before, head, nodeId);
  const own = ofNode(answers, nodeId);
  const { faults, ...following } = followed(plan, head, own, at);
  return {
    chain: compare(plan.chain, head, chainEnd(index, valueIn(seen.report)), own, at),
    following,
    faultCounts: countFaults(before.faultCounts, faults),
    faults,
    ...(plan.reset !== undefined && { reset: plan.reset }),
    ...(lastNodeId !== undefined && { nodeId: lastNodeId }),
  };
};

const followed = ({ following, tail }: Plan, head: IndexHead, answers: IndexAnswers, at: number): Followed => {
  if (head.state === 'off') return { ...following, faults: [] };
  const last = lastOf(head);
  if (last === undefined) return { ...following, tail: { number: -1n, at }, faults: [] };
  return follow(following, tail, last, answers, at);
};

/** Behind one address there may be several nodes: what another one answered is no answer. */
const ofNode = (answers: IndexAnswers, nodeId: string | undefined): IndexAnswers => {
  const isOther = (other: string | undefined): boolean => other !== undefined && nodeId !== undefined && other !== nodeId;
  return everyIndexAnswer(answers).some((answer) => isOther(answer.nodeId)) ? noAnswers : answers;
};
