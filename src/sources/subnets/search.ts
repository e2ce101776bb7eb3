// The part of a search that runs in one poll: a limited number of requests in rounds, each of which depends on the responses before.

import type { Answer, Client } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { Blockchain } from '../../protocol/platform.ts';
import { isOtherNode } from '../source.ts';
import { beginSearch, observeBlockchains, observeTags, type Search, type SearchQuestion, searchQuestions } from './placement.ts';
import type { SearchProblem, SubnetsAsked, SubnetsState } from './state.ts';

/** Limits the requests per poll. */
const maxQuestions = 16;

/** Seconds after which a poll starts no further round; the next poll continues. */
const maxSeconds = 2;

/** Minimum seconds between the starts of two searches for different checks, because a node may have different checks in each report. */
const minSearchPeriod = 20;

/** The search that a report requires; undefined if none. */
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
  if (!isSame && (next.stage === 'ended' || searchedAt === undefined || endedAt >= searchedAt + minSearchPeriod)) return next;
  if (before === undefined || (retryAt !== undefined && endedAt < retryAt)) return undefined;
  if (before.stage !== 'ended') return before;
  return isSame ? next : undefined;
};

interface Asking {
  readonly client: Client;
  /** Ids of known subnets. */
  readonly known: readonly string[];
  /** The NodeID of the node that sent the report. */
  readonly nodeId: string | undefined;
}

export const continueSearch = async (search: Search, { client, known, nodeId }: Asking): Promise<SubnetsAsked> => {
  const answers: Answer<unknown>[] = [];
  let next = search;
  for (let left = maxQuestions; left > 0; ) {
    const questions = searchQuestions(next, left);
    const [first] = questions;
    if (first === undefined) break;
    left -= questions.length;
    const asked = await Promise.all(questions.map((question) => ask(question, client)));
    for (const { answer, apply } of asked) {
      answers.push(asState(answer));
      // There may be several nodes behind one address: the response of a different one does not count.
      const applied = isOtherNode(nodeId, answer.nodeId) ? { kind: 'failed' as const, failure: otherNode } : apply(next, known);
      if ('kind' in applied) return { search: next, problem: applied, answers };
      next = applied;
    }
    const [begun, ended] = [answers[0]?.sentAt ?? 0, answers.at(-1)?.endedAt ?? 0];
    if (ended - begun > maxSeconds) break;
  }
  return { search: next, answers };
};

const otherNode = { kind: 'network', reason: 'another node responded' } as const;

/** Applies a response to the search. */
type Apply = (search: Search, known: readonly string[]) => Search | SearchProblem;

const ask = async (
  question: SearchQuestion,
  client: Client,
): Promise<{ readonly answer: Answer<unknown>; readonly apply: Apply }> => {
  if (question.of === 'tags') {
    const answer = await client.health(question.tags);
    const { outcome } = answer;
    if (outcome.kind !== 'ok') return { answer, apply: () => ({ kind: 'failed', failure: outcome }) };
    const checks = new Set(outcome.value.checks.keys());
    return { answer, apply: (search) => observeTags(search, question.tags, checks) };
  }
  const answer = await client.rpc('platform.getBlockchains', {});
  const { outcome } = answer;
  if (outcome.kind === 'ok') {
    const all: readonly Blockchain[] = outcome.value.blockchains;
    return { answer, apply: (search, known) => observeBlockchains(search, all, known) };
  }
  const isBootstrapping = outcome.kind === 'http-status' && outcome.isBootstrapping === true;
  return { answer, apply: () => (isBootstrapping ? { kind: 'bootstrapping' } : { kind: 'failed', failure: outcome }) };
};

/** The error response of a bootstrapping P-Chain is expected, so it does not count as a failed request. */
const asState = ({ outcome, ...rest }: Answer<unknown>): Answer<unknown> => {
  const isState = outcome.kind === 'http-status' && outcome.isBootstrapping === true;
  return { ...rest, outcome: isState ? { kind: 'ok', value: undefined } : outcome };
};
