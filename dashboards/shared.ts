// Panels shared by several dashboards.

import type { Column, Panel } from './board.ts';
import { alertColumn, failingFor, nodeColumn, none, severity, tagSetColumn, whereColumns } from './looks.ts';
import type { Of } from './scope.ts';

/** Columns of a table of failing checks, whose query `A` is the duration. */
export const failingColumns: readonly Column[] = [
  ...whereColumns,
  nodeColumn,
  { of: 'check', name: 'check' },
  { of: 'reason', name: 'reason' },
  { of: 'A', name: 'failing for', unit: 's', steps: failingFor },
];

/** The number of series that match the condition. */
export const count = (title: string, description: string, condition: string, steps = none): Panel => ({
  title,
  description,
  view: 'number',
  width: 4,
  height: 4,
  unit: 'short',
  steps,
  queries: [{ expr: `count(${condition}) or vector(0)` }],
});

export const firingAlerts = (of: Of, height = 8): Panel => ({
  title: 'Firing alerts',
  description: 'Most severe first. Click a name for its runbook.',
  view: 'table',
  width: 24,
  height,
  queries: [
    {
      expr: ['info', 'warning', 'critical']
        .map((name, at) => {
          const firing = of('ALERTS', 'alertname=~"Snowgauge.+"', 'alertstate="firing"', `severity="${name}"`);
          return `${firing} * ${at + 1}`;
        })
        .join('\nor\n'),
    },
  ],
  worst: 'severity',
  columns: [
    { of: 'A', name: 'severity', words: severity },
    alertColumn,
    ...whereColumns,
    nodeColumn,
    tagSetColumn,
    { of: 'check', name: 'check' },
    { of: 'scope', name: 'scope' },
    { of: 'chain', name: 'chain' },
    { of: 'index', name: 'index' },
  ],
});

/** The failing checks with reason and duration, longest first. */
export const failingChecks = (of: Of, height = 8): Panel => ({
  title: 'Failing checks and reasons',
  description:
    'All failing checks with the reason derived from the error, longest failing first. Meanings and remedies: docs/reasons.md. The error text is on the status page of the exporter.',
  view: 'table',
  width: 24,
  height,
  queries: [
    {
      expr: `${of('snowgauge:check_failure_reason')}
* ignoring (reason) group_left ()
${of('snowgauge:check_failing_seconds')}`,
    },
  ],
  worst: 'failing for',
  columns: failingColumns,
});
