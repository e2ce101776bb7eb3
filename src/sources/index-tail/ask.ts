// The questions to an index beside its head, all at once, each under its own deadline.

import type { Answer, Client } from '../../client/client.ts';
import type { Container } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { IndexAnswers, IndexQuestions, Stretch } from './questions.ts';

export const askIndex = async (
  index: IndexName,
  { stretch, numbersOf, accepted }: IndexQuestions,
  client: Client,
): Promise<IndexAnswers> => {
  const [containers, numbers, acceptances] = await Promise.all([
    stretch === undefined ? undefined : askStretch(index, stretch, client),
    Promise.all(numbersOf.map(async (id) => [id, await client.indexRpc(index, 'index.getIndex', { id })] as const)),
    Promise.all(accepted.map(async (id) => [id, await client.indexRpc(index, 'index.isAccepted', { id })] as const)),
  ]);
  return {
    ...(containers !== undefined && { stretch: containers }),
    numbersOf: new Map(numbers),
    accepted: new Map(acceptances),
  };
};

const askStretch = async (index: IndexName, { start, count }: Stretch, client: Client): Promise<Answer<readonly Container[]>> => {
  if (count > 1) {
    const params = { startIndex: start, numToFetch: BigInt(count) };
    return client.indexRpc(index, 'index.getContainerRange', params);
  }
  const { outcome, ...rest } = await client.indexRpc(index, 'index.getContainerByIndex', { index: start });
  return { ...rest, outcome: outcome.kind === 'ok' ? { kind: 'ok', value: [outcome.value] } : outcome };
};
