// What is asked of an index beside its last container, and what came of it: in one poll at most one range of containers
// (tail.ts says how many), two numbers and two acceptances, all at once and each under its own deadline.

import type { Answer, Client } from '../../client/client.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { type Checked, checked } from './integrity-error.ts';

/** Containers by their numbers. */
export interface ContainerRange {
  readonly start: bigint;
  /** At least 1; one alone is asked for by index.getContainerByIndex, more by index.getContainerRange. */
  readonly count: number;
}

export interface IndexQuestions {
  readonly range?: ContainerRange;
  /** Ids for index.getIndex. */
  readonly numbersOf: readonly string[];
  /** Ids for index.isAccepted. */
  readonly accepted: readonly string[];
}

/** The answers to the questions, each as it ended. */
export interface IndexAnswers {
  readonly range?: Answer<readonly Checked[]>;
  readonly numbersOf: ReadonlyMap<string, Answer<{ readonly index: bigint }>>;
  readonly accepted: ReadonlyMap<string, Answer<{ readonly isAccepted: boolean }>>;
}

export const noQuestions: IndexQuestions = { numbersOf: [], accepted: [] };
export const noAnswers: IndexAnswers = { numbersOf: new Map(), accepted: new Map() };

export const everyIndexAnswer = ({ range, numbersOf, accepted }: IndexAnswers): readonly Answer<unknown>[] => [
  ...(range === undefined ? [] : [range]),
  ...numbersOf.values(),
  ...accepted.values(),
];

export const valueIn = <T>(answer: Answer<T> | undefined): T | undefined =>
  answer?.outcome.kind === 'ok' ? answer.outcome.value : undefined;

export const askIndex = async (
  index: IndexName,
  { range, numbersOf, accepted }: IndexQuestions,
  client: Client,
): Promise<IndexAnswers> => {
  const [containers, numbers, acceptances] = await Promise.all([
    range && askRange(index, range, client),
    Promise.all(numbersOf.map(async (id) => [id, await client.indexRpc(index, 'index.getIndex', { id })] as const)),
    Promise.all(accepted.map(async (id) => [id, await client.indexRpc(index, 'index.isAccepted', { id })] as const)),
  ]);
  return { ...(containers && { range: containers }), numbersOf: new Map(numbers), accepted: new Map(acceptances) };
};

const askRange = async (
  index: IndexName,
  { start, count }: ContainerRange,
  client: Client,
): Promise<Answer<readonly Checked[]>> => {
  const { outcome, ...rest } =
    count > 1
      ? await client.indexRpc(index, 'index.getContainerRange', { startIndex: start, numToFetch: BigInt(count) })
      : await client.indexRpc(index, 'index.getContainerByIndex', { index: start });
  if (outcome.kind !== 'ok') return { ...rest, outcome };
  const containers = Array.isArray(outcome.value) ? outcome.value : [outcome.value];
  const value: Checked[] = [];
  // No more than were asked for, and others have their turn between them: a hash may take milliseconds.
  for (const container of containers.slice(0, count + 1)) {
    value.push(checked(index, container));
    await yieldToEventLoop();
  }
  return { ...rest, outcome: { kind: 'ok', value } };
};
