// Requests to an index other than for its last container, and their responses. A poll sends at most one for a range of
// containers (size: see tail.ts), two for numbers and two for acceptance, concurrently, each with its own timeout.

import type { Answer, Client } from '../../client/client.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { type Checked, checked } from './integrity-error.ts';

/** A range of container numbers. */
export interface ContainerRange {
  readonly start: bigint;
  /** At least 1: index.getContainerByIndex returns one, index.getContainerRange several. */
  readonly count: number;
}

export interface IndexQuestions {
  readonly range?: ContainerRange;
  /** Ids for index.getIndex. */
  readonly numbersOf: readonly string[];
  /** Ids for index.isAccepted. */
  readonly accepted: readonly string[];
}

/** Responses to these requests, including failures. */
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
  // At most one more than requested, and yielding after each: a hash may take milliseconds.
  for (const container of containers.slice(0, count + 1)) {
    value.push(checked(index, container));
    await yieldToEventLoop();
  }
  return { ...rest, outcome: { kind: 'ok', value } };
};
