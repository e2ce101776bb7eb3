// Source of the indexes of a node: the last container or the state of each. With the untagged report of the same poll, it also
// compares each index with its chain and verifies its tail, without requests if nothing has changed.

import type { Answer, Client } from '../../client/client.ts';
import { describe } from '../../client/outcome.ts';
import { oneOrNone } from '../../lists.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Ongoing } from '../../snapshot/log-entry.ts';
import {
  askedAt,
  failureIn,
  lastValue,
  type Observed,
  observe,
  observeAnswer,
  observedAt,
  pending,
  valueIn,
} from '../../snapshot/observed.ts';
import { type TargetOptions, untagged } from '../../snapshot/options.ts';
import type { HealthAsked, ReportsAsked } from '../health/state.ts';
import { isOtherNode, type Source } from '../source.ts';
import { changesOf } from './changes.ts';
import { configuredIndexes, discoveryAfter, indexesToAsk } from './discovery.ts';
import { indexFamilies } from './families.ts';
import { growthAfter } from './growth.ts';
import { headOf, type IndexHead, isOff, isOn, presenceOf } from './head.ts';
import { askIndex, everyIndexAnswer, noAnswers } from './questions.ts';
import type { IndexAsked, IndexesAsked, IndexesState, IndexState } from './state.ts';
import { type IndexesStatus, indexesStatus } from './status.ts';
import { nextVerification, questionsOf, unverified, withoutNode } from './verification.ts';

const newIndex = (wasOn = false): IndexState => ({
  head: pending,
  growth: [],
  verification: unverified,
  wasOn,
});

/** The initial state of a new target. `names`: indexes that have been on in an earlier run. */
export const servedBefore = (names: readonly IndexName[]): IndexesState => ({
  watched: new Map(names.map((index) => [index, newIndex(true)])),
});

export const indexes: Source<IndexesState, IndexesAsked, ReportsAsked, IndexesStatus> = {
  api: 'index',
  start: (options, before) => {
    const known = before?.watched;
    const isWatched = (index: IndexName): boolean => options.indexes !== 'auto' || known?.get(index)?.wasOn === true;
    const names = configuredIndexes(options).filter(isWatched);
    return { watched: new Map(names.map((index) => [index, known?.get(index) ?? newIndex()])) };
  },
  ask: async ({ client, options, before, of }) => {
    const asked = indexesToAsk(options, before).map(async (index): Promise<readonly (readonly [IndexName, IndexAsked])[]> => {
      const known = before.watched.get(index);
      const head = await askHead(index, client, known);
      // Something other than a node may refuse an index that was never on, so that refusal does not count as a response.
      if (known === undefined) return isOff(head) ? [] : [[index, { ...noAnswers, head }]];
      const questions = questionsOf(index, known.verification, { head, report: untaggedReport(options, await of.health) });
      return [[index, { ...(await askIndex(index, questions, client)), head }]];
    });
    return new Map((await Promise.all(asked)).flat());
  },
  answers: (asked) => Array.from(asked.values()).flatMap((answers) => [answers.head, ...everyIndexAnswer(answers)]),
  observe: (before, asked, { options, at, restarted, of }) => {
    const report = untaggedReport(options, of.health);
    const watched = configuredIndexes(options).flatMap((index): readonly (readonly [IndexName, IndexState])[] => {
      const known = before.watched.get(index);
      const answers = asked.get(index);
      if (known !== undefined) return [[index, answers === undefined ? known : observeIndex(index, known, answers, report)]];
      // Comparison and verification start with the next poll.
      return answers !== undefined && isOn(answers.head) ? [[index, observeHead(newIndex(), answers.head)]] : [];
    });
    const isReady = valueIn(of.readiness)?.healthy === true;
    const isComplete = Array.from(asked).every(([index, { head }]) => before.watched.has(index) || isOn(head));
    const discovery = discoveryAfter(before.discovery, { at, isReady, restarted, isComplete });
    return { watched: new Map(watched), ...(discovery !== undefined && { discovery }) };
  },
  replaced: (before) => ({
    ...before,
    watched: new Map(Array.from(before.watched, ([index, one]) => [index, withoutValues(one)])),
  }),
  fail: (before, failure, at) => ({
    ...before,
    watched: new Map(Array.from(before.watched, ([index, one]) => [index, { ...one, head: observe(one.head, failure, at) }])),
  }),
  observedAt: ({ watched }) =>
    Array.from(watched.values()).flatMap(({ head, verification: { chain, following } }) => [
      ...observedAt([head]),
      // The state `error` is that of the last request.
      ...oneOrNone(askedAt(head)),
      ...[chain.compared, following.tail].flatMap((one) => (one === undefined ? [] : one.at)),
    ]),
  ongoing: ({ watched }) => [...watched].flatMap(([index, { head }]) => ongoingOf(index, head)),
  changes: (before, after) => changesOf(verificationsOf(before), verificationsOf(after)),
  families: indexFamilies,
  status: indexesStatus,
  // The page shows indexes in a table.
  facts: () => [],
};

/**
 * A separate function, because its caller waits for other responses. Until then, it would keep the container, which may be megabytes, in
 * memory.
 */
const askHead = async (index: IndexName, client: Client, known: IndexState | undefined): Promise<Answer<IndexHead>> => {
  const { outcome, ...rest } = await client.indexRpc(index, 'index.getLastAccepted', {});
  const before = known === undefined || isOtherNode(known.verification.nodeId, rest.nodeId) ? undefined : lastValue(known.head);
  return {
    outcome: known === undefined ? presenceOf(index, outcome) : headOf(index, outcome, before),
    ...rest,
  };
};

const untaggedReport = (options: TargetOptions, asked: HealthAsked | undefined): Answer<HealthReport> | undefined =>
  asked?.reports.get(untagged(options).name);

const verificationsOf = ({ watched }: IndexesState) =>
  new Map(Array.from(watched, ([index, { verification }]) => [index, verification] as const));

const observeHead = (before: IndexState, head: Answer<IndexHead>): IndexState => ({
  ...before,
  head: observeAnswer(before.head, head),
  growth: head.outcome.kind === 'ok' ? growthAfter(before.growth, head.outcome.value, head.endedAt) : before.growth,
  wasOn: before.wasOn || isOn(head),
});

const observeIndex = (
  index: IndexName,
  last: IndexState,
  { head, ...answers }: IndexAsked,
  report: Answer<HealthReport> | undefined,
): IndexState => {
  const before = isOtherNode(last.verification.nodeId, head.nodeId) ? withoutValues(last) : last;
  return {
    ...observeHead(before, head),
    verification: nextVerification(index, before.verification, { head, report }, answers),
  };
};

/** Without what is known of the last node, except which one it was. */
const withoutValues = (before: IndexState): IndexState => ({
  ...before,
  head: pending,
  growth: [],
  verification: withoutNode(before.verification),
});

/** Logged as a warning, because there is an alert for it. */
const indexOff = 'index off: is the node started with --index-enabled, and the chain created?';

const ongoingOf = (name: IndexName, head: Observed<IndexHead>): readonly Ongoing[] => {
  const failure = failureIn(head);
  if (failure !== undefined)
    return [{ level: 'warn', message: 'index request failed', field: 'indexes', name, value: describe(failure) }];
  if (head.state !== 'fresh') return [];
  const { state: value } = head.value;
  return [
    value === 'off'
      ? { level: 'warn', message: indexOff, field: 'indexes', name, value }
      : { level: 'info', message: 'index state', field: 'indexes', name, value },
  ];
};
