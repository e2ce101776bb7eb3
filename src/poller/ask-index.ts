// The questions to an index beside its head, all at once, each under its own deadline.

import type { Answer, Client } from '../client/client.ts';
import type { Container } from '../protocol/container.ts';
import type { IndexName } from '../protocol/paths.ts';
import type { IndexAnswers, IndexQuestions, Stretch } from '../snapshot/index-questions.ts';

export const askIndex = async (
  index: IndexName,
  { stretch, numbersOf, accepted }: IndexQuestions,
  client: Client,
  signal: AbortSignal,
): Promise<IndexAnswers> => {
  const [containers, numbers, acceptances] = await Promise.all([
    stretch === undefined ? undefined : askStretch(index, stretch, client, signal),
    Promise.all(numbersOf.map(async (id) => [id, await client.indexRpc(index, 'index.getIndex', { id }, signal)] as const)),
    Promise.all(accepted.map(async (id) => [id, await client.indexRpc(index, 'index.isAccepted', { id }, signal)] as const)),
  ]);
  return {
    ...(containers !== undefined && { stretch: containers }),
    numbersOf: new Map(numbers),
    accepted: new Map(acceptances),
  };
};

const askStretch = async (
  index: IndexName,
  { start, count }: Stretch,
  client: Client,
  signal: AbortSignal,
): Promise<Answer<readonly Container[]>> => {
  if (count > 1) {
    const params = { startIndex: start, numToFetch: BigInt(count) };
    return client.indexRpc(index, 'index.getContainerRange', params, signal);
  }
  const { outcome, ...rest } = await client.indexRpc(index, 'index.getContainerByIndex', { index: start }, signal);
  return { ...rest, outcome: outcome.kind === 'ok' ? { kind: 'ok', value: [outcome.value] } : outcome };
};
