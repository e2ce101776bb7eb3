// One round of questions to one node, all at once, each under its own deadline.

import type { Answer, Client } from '../client/client.ts';
import type { Container } from '../protocol/container.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { IndexName } from '../protocol/paths.ts';
import { type Answers, readHead } from '../snapshot/advance.ts';
import type { IndexAnswers } from '../snapshot/index-questions.ts';
import { newIndexWatch, questionsOf } from '../snapshot/index-watch.ts';
import { type TargetSnapshot, untagged } from '../snapshot/snapshot.ts';
import { askIndex } from './ask-index.ts';

/**
 * `target`: what is known before the round, which decides what an index is asked beside its head. `tagsToAsk`: tags to be asked
 * for one by one, beside the tag sets.
 */
export const pollOnce = async (
  target: TargetSnapshot,
  client: Client,
  signal: AbortSignal,
  tagsToAsk: readonly string[] = [],
): Promise<Answers> => {
  const { tagSets, indexes } = target.options;
  const reports = new Map(tagSets.map(({ name, tags }) => [name, client.health(tags, signal)] as const));
  const whole = reports.get(untagged(target.options).name);
  const [health, tags, asked, readiness, liveness] = await Promise.all([
    each([...reports], async ([name, report]) => [name, await report]),
    each(tagsToAsk, async (tag) => [tag, await client.health([tag], signal)]),
    each(indexes, async (index) => [index, await askAll(target, index, whole, client, signal)]),
    client.readiness([], signal),
    client.liveness([], signal),
  ]);
  return {
    health,
    tags,
    readiness,
    liveness,
    indexes: new Map([...asked].map(([index, { head }]) => [index, head])),
    watches: new Map([...asked].map(([index, { more }]) => [index, more])),
  };
};

const each = async <K, Of, T>(things: readonly Of[], ask: (thing: Of) => Promise<readonly [K, T]>): Promise<ReadonlyMap<K, T>> =>
  new Map(await Promise.all(things.map(ask)));

/** The head, and then what the head and the report leave open. */
const askAll = async (
  target: TargetSnapshot,
  index: IndexName,
  whole: Promise<Answer<HealthReport>> | undefined,
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly head: Answer<Container>; readonly more: IndexAnswers }> => {
  const head = await client.indexRpc(index, 'index.getLastAccepted', {}, signal);
  const seen = { head: readHead(target, index, head), report: await whole };
  const questions = questionsOf(index, target.watches.get(index) ?? newIndexWatch(index), seen);
  return { head, more: await askIndex(index, questions, client, signal) };
};
