// The common part of readiness and liveness: one GET that returns a report, with one metric family and one fact.

import type { Answer } from '../client/client.ts';
import { oneOrNone } from '../lists.ts';
import { type Definition, flag, group } from '../metrics/family.ts';
import type { HealthReport } from '../protocol/health.ts';
import { reportOutline } from '../protocol/kept-report.ts';
import { current, type Observed, observe, observeAnswer, observedAt, pending } from '../snapshot/observed.ts';
import { freshnessMark, type ReportStatus, reportStatus } from './observed-status.ts';
import { type Fact, mapped, type Source } from './source.ts';

type Api = 'readiness' | 'liveness';
type Status<A extends Api> = { readonly [N in A]: ReportStatus };

/** The label on the page, and the texts for yes and no. */
interface Words {
  readonly name: string;
  readonly yes: string;
  readonly no: string;
}

export const reportSource = <A extends Api>(
  api: A,
  definition: Omit<Definition, 'labels' | 'unit'>,
  words: Words,
): Source<Observed<HealthReport>, Answer<HealthReport>, object, Status<A>> => ({
  api,
  start: (_options, before = pending) => before,
  ask: async ({ client }) => mapped(await client[api]([]), reportOutline),
  answers: (asked) => [asked],
  observe: observeAnswer,
  // The report of the former process does not apply to this one.
  restarted: () => pending,
  fail: observe,
  observedAt: (state) => observedAt([state]),
  // The health of the node shows the same, and has its own log line.
  ongoing: () => [],
  changes: () => [],
  families: [
    group<Observed<HealthReport>, HealthReport>(
      [{ ...definition, type: 'gauge', labels: ['target'], unit: 'boolean', value: ({ healthy }) => flag(healthy) }],
      (state, { now, maxAge }) => oneOrNone(current(state, now, maxAge)),
    ),
  ],
  // The member has the name of the API.
  status: (state, context) => ({ [api]: reportStatus(state, context) }) as Status<A>,
  facts: (status) => [factOf(status[api], words)],
});

const factOf = (status: ReportStatus, { name, yes, no }: Words): Fact => {
  const reported = status.healthy === true ? ({ level: 'good', word: yes } as const) : ({ level: 'bad', word: no } as const);
  const { level, word } = freshnessMark(status) ?? reported;
  return { name, value: word, level, ...(status.lastError !== undefined && { note: status.lastError }) };
};
