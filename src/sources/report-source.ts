// What readiness and liveness have in common: one GET that answers with a report, and one family for what it says.

import type { Answer } from '../client/client.ts';
import { type Definition, flag, group } from '../metrics/family.ts';
import type { HealthReport } from '../protocol/health.ts';
import { current, type Observed, observe, observeAnswer, observedAt, pending } from '../snapshot/observed.ts';
import type { Source } from './source.ts';

export const reportSource = (
  api: 'readiness' | 'liveness',
  definition: Omit<Definition, 'labels' | 'unit'>,
): Omit<Source<Observed<HealthReport>, Answer<HealthReport>>, 'status' | 'facts'> => ({
  api,
  start: (_options, before = pending) => before,
  ask: ({ client }) => client[api]([]),
  answers: (asked) => [asked],
  observe: observeAnswer,
  fail: observe,
  observedAt: (state) => observedAt([state]),
  // The node's health says the same, and has a line of its own.
  ongoing: () => [],
  changes: () => [],
  families: [
    group<Observed<HealthReport>, HealthReport>(
      [{ ...definition, type: 'gauge', labels: ['target'], unit: 'boolean', value: ({ healthy }) => flag(healthy) }],
      (state, { now, maxAge }) => {
        const report = current(state, now, maxAge);
        return report === undefined ? [] : [report];
      },
      () => [],
    ),
  ],
});
