// The service level: how much of the time a node was ready for a tag set. Unknown counts as not ready; maintenance is left out.
//
// Long windows are averages of the 5m series. A window that reaches back further than its series says nothing of its length, so the
// alerts ask for both: the window, and that the series was there when it began.

import { type Alert, dashboards, type Recording, theNode } from './rule.ts';

const short = '5m';
const long = ['30m', '1h', '2h', '6h', '1d', '30d'] as const;
type Window = typeof short | (typeof long)[number];

const notReady = (window: Window): `snowgauge:${string}` => `snowgauge:not_ready_ratio_${window}`;

export const sloRecordings: readonly Recording[] = [
  {
    record: notReady(short),
    help: 'Fraction of the last 5 minutes in which the condition Ready of a tag set was not True. Maintenance is left out.',
    expr: ({ of }) => `1 - avg_over_time(snowgauge:ready[${short}])
unless ignoring (tag_set)
${of('snowgauge_target_maintenance_end_timestamp_seconds')}`,
  },
  ...long.map(
    (window): Recording => ({
      record: notReady(window),
      help: `The same for the last ${window}, from the 5m series.`,
      expr: () => `avg_over_time(${notReady(short)}[${window}])`,
    }),
  ),
  {
    record: 'snowgauge:error_budget_remaining',
    help: 'Part of the error budget of 30 days that is left: 1 at first, 0 when it is spent, negative beyond that.',
    expr: ({ set }) => `1 - ${notReady('30d')} / (1 - ${set.sloObjective})`,
  },
];

/** Multi-window, multi-burn-rate: the long window is significant, the short one ends the alert soon after the cause has ended. */
const burns = (rate: number, window: Window, control: Window, objective: string): string => {
  const limit = `${rate} * (1 - ${objective})`;
  return `(
  ${notReady(window)} > ${limit}
  and
  ${notReady(control)} > ${limit}
  and
  last_over_time(${notReady(short)}[10m] offset ${window})
)`;
};

/** A node that has not been ready in 30 days is a new one that bootstraps. */
const wasReady = `and
${notReady('30d')} < 1`;

const description = `${theNode} is not ready for tag set {{ $labels.tag_set }} too often, or has not been for too long. At this rate the error budget of 30 days`;

export const sloAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeErrorBudgetBurn',
    severity: 'critical',
    when: 'a tag set uses its error budget 14.4 times too fast over 1h and 5m, or 6 times too fast over 6h and 30m',
    expr: ({ set }) => `(
${burns(14.4, '1h', '5m', set.sloObjective)}
or
${burns(6, '6h', '30m', set.sloObjective)}
)
${wasReady}`,
    for: '2m',
    summary: `${theNode} is using the error budget of tag set {{ $labels.tag_set }} fast.`,
    description: `${description} lasts 5 days at most.`,
    dashboard: dashboards.slo,
  },
  {
    name: 'SnowgaugeErrorBudgetBurnSlow',
    severity: 'warning',
    when: 'a tag set uses its error budget 3 times too fast over 1d and 2h',
    expr: ({ set }) => `${burns(3, '1d', '2h', set.sloObjective)}
${wasReady}`,
    for: '15m',
    summary: `${theNode} is using the error budget of tag set {{ $labels.tag_set }} too fast.`,
    description: `${description} lasts 10 days at most.`,
    dashboard: dashboards.slo,
  },
];
