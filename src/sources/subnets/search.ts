// One poll's part of a search: as many questions as one poll may ask, each round of them made from the answers before.

import type { Answer, Client } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { Blockchain } from '../../protocol/platform.ts';
import { beginSearch, observeBlockchains, observeTags, type Search, type SearchQuestion, searchQuestions } from './placement.ts';
import type { SearchProblem, SubnetsAsked, SubnetsState } from './state.ts';

/** Most questions in a poll. */
const maxQuestions = 16;

/** Seconds after which a poll begins no further round: what is left waits for the next one. */
const longest = 2;

/** Seconds between the beginnings of two searches for different checks: a node may name others in each report. */
const shortestDistance = 20;

/** The search that a report makes due; undefined: none. */
export const dueSearch = (
  { settled, search: before, searchedAt, verify, retryAt }: SubnetsState,
  { outcome, endedAt }: Answer<HealthReport>,
): Search | undefined => {
  if (outcome.kind !== 'ok') return undefined;
  const unknown = [...outcome.value.checks.keys()].filter((check) => !settled.has(check));
  if (unknown.length === 0 && !verify) return undefined;
  const begun = beginSearch(unknown, verify);
  const next: Search = begun.stage === 'ended' ? begun : { ...begun, begunAt: endedAt };
  const isSame = before !== undefined && before.open.join('\n') === next.open.join('\n');
  if (!isSame && (next.stage === 'ended' || searchedAt === undefined || endedAt >= searchedAt + shortestDistance)) return next;
  if (before === undefined || (retryAt !== undefined && endedAt < retryAt)) return undefined;
  if (before.stage !== 'ended') return before;
  return isSame ? next : undefined;
};

interface Asking {
  readonly client: Client;
  /** Ids of subnets that are known already. */
  readonly known: readonly string[];
  /** Of the node that gave the report. */
  readonly nodeId: string | undefined;
}

export const goOn = async (search: Search, { client, known, nodeId }: Asking): Promise<SubnetsAsked> => {
  const answers: Answer<unknown>[] = [];
  let next = search;
  for (let left = maxQuestions; left > 0; ) {
    const questions = searchQuestions(next, left);
    const [first] = questions;
    if (first === undefined) break;
    left -= questions.length;
    const asked = await Promise.all(questions.map((question) => ask(question, client)));
    for (const { answer, learn } of asked) {
      answers.push(asState(answer));
      // Behind one address there may be several nodes: what another one answers is no answer.
      const isOther = answer.nodeId !== undefined && nodeId !== undefined && answer.nodeId !== nodeId;
      const learnt = isOther ? { kind: 'failed' as const, failure: otherNode } : learn(next, known);
      if ('kind' in learnt) return { search: next, problem: learnt, answers };
      next = learnt;
    }
    const [begun, ended] = [answers[0]?.sentAt ?? 0, answers.at(-1)?.endedAt ?? 0];
    if (ended - begun > longest) break;
  }
  return { search: next, answers };
};

const otherNode = { kind: 'network', reason: 'another node answered' } as const;

/** What an answer makes of the search. */
type Learn = (search: Search, known: readonly string[]) => Search | SearchProblem;

const ask = async (
  question: SearchQuestion,
  client: Client,
): Promise<{ readonly answer: Answer<unknown>; readonly learn: Learn }> => {
  if (question.of === 'tags') {
    const answer = await client.health(question.tags);
    const { outcome } = answer;
    if (outcome.kind !== 'ok') return { answer, learn: () => ({ kind: 'failed', failure: outcome }) };
    const checks = new Set(outcome.value.checks.keys());
    return { answer, learn: (search) => observeTags(search, question.tags, checks) };
  }
  const answer = await client.rpc('platform.getBlockchains', {});
  const { outcome } = answer;
  if (outcome.kind === 'ok') {
    const all: readonly Blockchain[] = outcome.value.blockchains;
    return { answer, learn: (search, known) => observeBlockchains(search, all, known) };
  }
  const isBootstrapping = outcome.kind === 'http-status' && outcome.isBootstrapping === true;
  return { answer, learn: () => (isBootstrapping ? { kind: 'bootstrapping' } : { kind: 'failed', failure: outcome }) };
};

/** A P-Chain that bootstraps answers as it should. */
const asState = ({ outcome, ...rest }: Answer<unknown>): Answer<unknown> => {
  const isState = outcome.kind === 'http-status' && outcome.isBootstrapping === true;
  return { ...rest, outcome: isState ? { kind: 'ok', value: undefined } : outcome };
};
