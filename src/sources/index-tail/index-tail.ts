// Each index beyond its head: beside its chain, and along its tail. What is asked follows from the head and from the untagged
// report of the same poll; nothing where nothing has moved.

import type { Answer } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { untagged } from '../../snapshot/options.ts';
import type { HealthAsked } from '../health/state.ts';
import type { HeadAsked } from '../index-head/state.ts';
import type { Source } from '../source.ts';
import { askIndex } from './ask.ts';
import { tailChanges } from './changes.ts';
import { tailFamilies } from './families.ts';
import { everyIndexAnswer, type IndexAnswers, noAnswers } from './questions.ts';
import type { TailAsked, TailState } from './state.ts';
import { type TailStatus, tailStatus } from './status.ts';
import { type IndexWatch, newIndexWatch, questionsOf, watchIndex } from './watch.ts';

interface Needs {
  readonly health: HealthAsked;
  readonly indexHead: HeadAsked;
}

export const indexTail: Source<TailState, TailAsked, Needs, TailStatus> = {
  api: 'index',
  start: ({ indexes }, before) => ({
    watches: new Map(indexes.map((index) => [index, before?.watches.get(index) ?? newIndexWatch(index)])),
  }),
  ask: async ({ client, options, before, of }) => {
    const [heads, reports] = await Promise.all([of.indexHead, of.health]);
    const report = reports?.reports.get(untagged(options).name);
    const asked = Array.from(before.watches).map(async ([index, watch]): Promise<readonly [IndexName, IndexAnswers]> => {
      const head = heads?.get(index);
      const questions = head === undefined ? undefined : questionsOf(index, watch, { head, report });
      return [index, questions === undefined ? noAnswers : await askIndex(index, questions, client)];
    });
    return new Map(await Promise.all(asked));
  },
  answers: (asked) => Array.from(asked.values()).flatMap(everyIndexAnswer),
  observe: ({ watches }, asked, { options, of }) => {
    const report: Answer<HealthReport> | undefined = of.health?.reports.get(untagged(options).name);
    const next = Array.from(watches, ([index, watch]): readonly [IndexName, IndexWatch] => {
      const head = of.indexHead?.get(index);
      return [index, head === undefined ? watch : watchIndex(index, watch, { head, report }, asked.get(index) ?? noAnswers)];
    });
    return { watches: new Map(next) };
  },
  // What was learnt stands until it is too old.
  fail: (before) => before,
  observedAt: ({ watches }) =>
    Array.from(watches.values()).flatMap(({ chain, following }) =>
      [chain.compared, following.tail].flatMap((one) => (one === undefined ? [] : one.at)),
    ),
  ongoing: () => [],
  changes: (before, after) => tailChanges(before.watches, after.watches),
  families: tailFamilies,
  status: tailStatus,
  // The page shows them in the table of the indexes.
  facts: () => [],
};
