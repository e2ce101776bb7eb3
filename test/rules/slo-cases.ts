// Cases of the error budget.

import type { Fires, Quiet } from './case.ts';
import { hold, inTurn, ready, type Series, scraped, well } from './series.ts';

const fast = 'SnowgaugeErrorBudgetBurn';
const slow = 'SnowgaugeErrorBudgetBurnSlow';

/** Minutes of a node that is ready for one tag set as these values say. */
const node = (values: string, steps: number, more: Series = {}): Series =>
  scraped({ ...well(steps), ...ready(values, ['my-l1']), ...more });
const maintenance = 'snowgauge_target_maintenance_end_timestamp_seconds';
/** Not ready for 4 minutes of every so many: no alert on the state of the moment sees it. */
const often = (every: number, times: number): string =>
  inTurn(...Array.from({ length: times }, () => inTurn(hold(1, every - 4), hold(0, 4))));

export const sloFires: readonly Fires[] = [
  {
    alert: fast,
    title: 'a tag set that was ready for two hours has not been for 13 minutes',
    series: node(inTurn(hold(1, 120), hold(0, 30)), 150),
    steps: 150,
    at: 133,
    soonerIn3: true,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is using the error budget of tag set my-l1 fast.',
    description:
      'node (validator-0) is not ready for tag set my-l1 too often, or has not been for too long. At this rate the error budget of 30 days lasts 5 days at most.',
  },
  {
    alert: fast,
    title: 'a tag set is not ready for 4 minutes of every 50, for six hours',
    series: node(inTurn(hold(1, 100), often(50, 8)), 500),
    steps: 500,
    at: 402,
    soonerIn3: true,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is using the error budget of tag set my-l1 fast.',
    description:
      'node (validator-0) is not ready for tag set my-l1 too often, or has not been for too long. At this rate the error budget of 30 days lasts 5 days at most.',
  },
  {
    alert: slow,
    title: 'a tag set is not ready for 4 minutes of every 100, for more than a day',
    series: node(often(100, 16), 1600),
    steps: 1600,
    at: 1455,
    labels: { tag_set: 'my-l1' },
    summary: 'node (validator-0) is using the error budget of tag set my-l1 too fast.',
    description:
      'node (validator-0) is not ready for tag set my-l1 too often, or has not been for too long. At this rate the error budget of 30 days lasts 10 days at most.',
  },
];

export const sloQuiet: readonly Quiet[] = [
  {
    alert: fast,
    title: 'a node is restarted and not ready for 4 minutes',
    series: node(inTurn(hold(1, 120), hold(0, 4), hold(1, 76)), 200),
    steps: 200,
  },
  {
    alert: fast,
    title: 'a node that was never ready bootstraps for four hours',
    series: node(hold(0, 240), 240),
    steps: 240,
  },
  {
    alert: fast,
    title: 'it is maintained all the time that it is not ready',
    series: node(inTurn(hold(1, 120), hold(0, 60), hold(1, 20)), 200, { [maintenance]: inTurn(hold('_', 118), hold(1e6, 70)) }),
    steps: 200,
  },
  {
    alert: slow,
    title: 'a tag set is not ready for 4 minutes of a day',
    series: node(inTurn(hold(1, 1500), hold(0, 4), hold(1, 96)), 1600),
    steps: 1600,
  },
  { alert: slow, title: 'a node was ready for one hour only', series: node(inTurn(hold(1, 60), hold(0, 30)), 90), steps: 90 },
];
