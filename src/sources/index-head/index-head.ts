// index.getLastAccepted of each index: its last container, or which state it is in.

import type { Answer } from '../../client/client.ts';
import { describe } from '../../client/outcome.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Ongoing } from '../../snapshot/log-entry.ts';
import { failureIn, lastValue, type Observed, observe, observeAnswer, observedAt, pending } from '../../snapshot/observed.ts';
import type { Source } from '../source.ts';
import { headFamilies } from './families.ts';
import { type GrowthRate, growthAfter } from './growth.ts';
import { headOf, type IndexHead } from './head.ts';
import type { HeadAsked, HeadState } from './state.ts';
import { type HeadStatus, headStatus } from './status.ts';

export const indexHead: Source<HeadState, HeadAsked, object, HeadStatus> = {
  api: 'index',
  start: ({ indexes }, before) => ({
    heads: new Map(indexes.map((index) => [index, before?.heads.get(index) ?? pending])),
    growth: new Map(Array.from(before?.growth ?? []).filter(([index]) => indexes.includes(index))),
  }),
  ask: async ({ client, options, before }) => {
    const heads = options.indexes.map(async (index) => {
      const answer = await client.indexRpc(index, 'index.getLastAccepted', {});
      return [index, { ...answer, outcome: headOf(index, answer.outcome, lastValue(before.heads.get(index))) }] as const;
    });
    return new Map(await Promise.all(heads));
  },
  answers: (asked) => [...asked.values()],
  observe: ({ heads, growth }, asked) => ({
    heads: new Map(Array.from(heads, ([index, observed]) => [index, observeAnswer(observed, asked.get(index))])),
    growth: new Map([...growth, ...Array.from(asked).flatMap(grown(growth))]),
  }),
  fail: (before, failure, at) => ({
    ...before,
    heads: new Map(Array.from(before.heads, ([index, observed]) => [index, observe(observed, failure, at)])),
  }),
  observedAt: ({ heads }) => observedAt(heads.values()),
  ongoing: ({ heads }) => [...heads].flatMap(([index, head]) => ongoingOf(index, head)),
  changes: () => [],
  families: headFamilies,
  status: headStatus,
  // The page has a table of them.
  facts: () => [],
};

const grown =
  (before: HeadState['growth']) =>
  ([index, { outcome, endedAt }]: readonly [IndexName, Answer<IndexHead>]): readonly (readonly [IndexName, GrowthRate])[] =>
    outcome.kind === 'ok' ? [[index, growthAfter(before.get(index) ?? [], outcome.value, endedAt)]] : [];

const ongoingOf = (name: IndexName, head: Observed<IndexHead>): readonly Ongoing[] => {
  const failure = failureIn(head);
  if (failure !== undefined)
    return [{ level: 'warn', message: 'index request failed', field: 'indexes', name, value: describe(failure) }];
  return head.state === 'fresh'
    ? [{ level: 'info', message: 'index state', field: 'indexes', name, value: head.value.state }]
    : [];
};
