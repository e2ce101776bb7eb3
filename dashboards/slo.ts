// The error budget: how long each tag set was ready, and how much of the budget is left.

import { dashboards } from '../src/rules/rule.ts';
import type { Board, Panel, Steps } from './board.ts';
import { nodeColumn, tagSetColumn, whereColumns } from './looks.ts';
import { marks, ofTagSet as of, ofTarget, variables, who } from './scope.ts';
import { firingAlerts } from './shared.ts';

const left: Steps = [
  [null, 'red'],
  [0, 'orange'],
  [0.5, 'green'],
];

const legend = `${who} {{tag_set}}`;

const lines = (title: string, description: string, expr: string): Panel => ({
  title,
  description,
  view: 'lines',
  width: 12,
  height: 8,
  unit: 'percentunit',
  queries: [{ expr, legend }],
});

export const slo: Board = {
  uid: dashboards.slo.uid,
  title: 'Snowgauge / Error budget',
  description: 'How much of the time each tag set was ready, and how much of the error budget is left.',
  variables: [
    variables.cluster,
    variables.job,
    variables.namespace,
    variables.pods,
    variables.network,
    variables.targets,
    variables.tagSets,
  ],
  marks: marks(ofTarget),
  sections: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Error budget, least first',
          description: 'Budget of 30 days. Unknown counts as not ready, maintenance is excluded. Setting: objective.',
          view: 'table',
          width: 24,
          height: 10,
          queries: [
            { expr: `1 - ${of('snowgauge:error_budget_remaining')}` },
            { expr: of('snowgauge:error_budget_remaining') },
            { expr: of('snowgauge:ready_ratio_30d') },
            { expr: of('snowgauge:ready_ratio_1d') },
            { expr: of('snowgauge:ready_ratio_1h') },
          ],
          worst: 'used',
          columns: [
            ...whereColumns,
            nodeColumn,
            tagSetColumn,
            { of: 'A', name: 'used', unit: 'percentunit' },
            { of: 'B', name: 'budget left', unit: 'percentunit', steps: left },
            { of: 'C', name: 'ready, 30 days', unit: 'percentunit' },
            { of: 'D', name: 'ready, 1 day', unit: 'percentunit' },
            { of: 'E', name: 'ready, 1 hour', unit: 'percentunit' },
          ],
        },
        firingAlerts(of, 6),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines(
          'Error budget left, the 10 lowest',
          'Negative: the budget is exceeded.',
          `bottomk(10, ${of('snowgauge:error_budget_remaining')})`,
        ),
        lines(
          'Not ready, 1 hour, the 10 longest',
          'Fraction of the last hour.',
          `topk(10, 1 - ${of('snowgauge:ready_ratio_1h')})`,
        ),
        lines(
          'Not ready, 6 hours, the 10 longest',
          'Fraction of the last six hours.',
          `topk(10, 1 - ${of('snowgauge:ready_ratio_6h')})`,
        ),
        {
          title: 'Maintenance',
          description: 'Remaining time of a maintenance window. It does not count against the budget.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 's',
          min: 0,
          queries: [{ expr: `${ofTarget('snowgauge:maintenance')} - time()`, legend: who }],
        },
      ],
    },
  ],
};
