// The fraction of time in which a node is ready, and how fast it uses its error budget.

import type { Recording } from './rule.ts';

/** Computed from the 5m series, because a month of raw samples is too much. */
const windows = ['1h', '6h', '1d', '30d'] as const;

export const sloRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:slo_started',
    help: 'Always 1, for each tag set that has ever been ready. It counts from then on, as long as the target has the tag set, or is known but not watched.',
    expr: ({ set }) => `(
  max_over_time(snowgauge:ready[5m]) == 1
  or
  last_over_time(snowgauge:slo_started[1h])
)
and
(
  snowgauge:ready
  or
  last_over_time(snowgauge:slo_started[1h]) unless on (${set.identity}) snowgauge:up
)
and on (${set.identity})
last_over_time(snowgauge:up[1h])`,
  },
  {
    record: 'snowgauge:ready_ratio_5m',
    help: 'Fraction of 5 minutes in which the tag set was ready. Unknown counts as not ready; maintenance is excluded.',
    expr: ({ set }) => `(
  avg_over_time(snowgauge:ready[5m]) and snowgauge:slo_started
  or
  snowgauge:slo_started * 0
)
unless on (${set.identity})
snowgauge:maintenance`,
  },
  ...windows.map(
    (window): Recording => ({
      record: `snowgauge:ready_ratio_${window}`,
      help: `The same of ${window}.`,
      expr: () => `avg_over_time(snowgauge:ready_ratio_5m[${window}])`,
    }),
  ),
  {
    record: 'snowgauge:error_budget_remaining',
    help: 'Fraction of the error budget of 30 days that is left; below 0, the objective is missed.',
    expr: ({ set }) => `1 - (1 - snowgauge:ready_ratio_30d) / (1 - ${set.objective})`,
  },
];
