// The container indexes: enabled, in step with their chains, without gaps.

import { dashboards } from '../src/rules/rule.ts';
import type { Board, Panel } from './board.ts';
import { nodeColumn, none, noneIsBest, whereColumns, yes } from './looks.ts';
import { marks, ofTarget as of, variables, who } from './scope.ts';
import { firingAlerts } from './shared.ts';

const count = (title: string, description: string, condition: string, steps = none): Panel => ({
  title,
  description,
  view: 'number',
  width: 6,
  height: 4,
  unit: 'short',
  steps,
  queries: [{ expr: `count(${condition}) or vector(0)` }],
});

/** One number per index: the state whose series is 1. */
const states = ['ok', 'empty', 'historical', 'unknown', 'off', 'error']
  .map((state, at) => `max without (state) (${of('snowgauge_index_state', `state="${state}"`)} == 1) * ${at}`)
  .join('\nor\n');

export const containerIndex: Board = {
  uid: dashboards.index.uid,
  title: 'Snowgauge / Index',
  description: 'State and integrity of the container indexes.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.pods, variables.network, variables.targets],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        count(
          'Off or failing',
          'Configured indexes that are off, or whose requests fail.',
          `${of('snowgauge:index_state')} == 1`,
        ),
        count(
          'Disagree with their chain',
          'Indexes that lacked the last block of their chain in two consecutive polls.',
          `${of('snowgauge:index_agrees')} == 0`,
        ),
        count('Stalled', 'Indexes that have not grown for 15 minutes while their chain has.', of('snowgauge:index_stalled')),
        count(
          'Incomplete',
          'Indexes that are missing blocks of their chain. Only indexing from an empty database adds them.',
          `${of('snowgauge:index_drift')} > 0`,
          noneIsBest,
        ),
        {
          title: 'Indexes, worst first',
          description:
            'Errors: found at the tail of the index since the start of the exporter, the most in the selected time range.',
          view: 'table',
          width: 24,
          height: 10,
          queries: [
            // increase() does not see what was counted before the range or before the first scrape.
            { expr: `sum without (kind) (max_over_time(${of('snowgauge_index_integrity_errors_total')}[$__range]))` },
            { expr: of('snowgauge_index_agrees_with_chain') },
            { expr: of('snowgauge_index_height_drift') },
            { expr: of('snowgauge_index_last_accepted_height') },
            { expr: `time() - ${of('snowgauge_index_last_accepted_timestamp_seconds')}` },
            { expr: of('snowgauge_index_verified_index') },
          ],
          worst: 'errors',
          columns: [
            ...whereColumns,
            nodeColumn,
            { of: 'index', name: 'index' },
            { of: 'A', name: 'errors', steps: none },
            { of: 'B', name: 'agrees', words: yes },
            { of: 'C', name: 'lacks', steps: noneIsBest },
            { of: 'D', name: 'last number' },
            { of: 'E', name: 'its age', unit: 's' },
            { of: 'F', name: 'verified to' },
          ],
        },
        firingAlerts(of, 6),
      ],
    },
    {
      title: 'History',
      panels: [
        {
          title: 'State, the 20 worst',
          description: 'Off is a 404; historical is X/tx and X/vtx, which a node no longer fills.',
          view: 'states',
          width: 24,
          height: 9,
          words: {
            '0': ['ok', 'green'],
            '1': ['empty', 'yellow'],
            '2': ['historical', 'blue'],
            '3': ['unknown', 'text'],
            '4': ['off', 'orange'],
            '5': ['error', 'red'],
          },
          queries: [
            {
              expr: `(
${states}
)
and
topk(20, max without (state) (avg_over_time(${of('snowgauge_index_state', 'state=~"unknown|off|error"')}[$__range] @ end())))`,
              legend: `{{index}} ${who}`,
            },
          ],
        },
        {
          title: 'Containers per second, the 10 slowest',
          description: 'Growth rate of each index.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `bottomk(10, deriv(${of('snowgauge_index_last_accepted_height')}[$__rate_interval]))`,
              legend: `{{index}} ${who}`,
            },
          ],
        },
        {
          title: 'Missing blocks, the 10 most',
          description: 'Chain height minus containers in the index: 0 if the index is complete.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          steps: noneIsBest,
          queries: [{ expr: `topk(10, ${of('snowgauge_index_height_drift')})`, legend: `{{index}} ${who}` }],
        },
        {
          title: 'Integrity errors',
          description:
            'Errors found at the tail of the index within `indexErrorWindow`, by kind: a gap, or a wrong number, id, time, bytes or hash. The kind time alone does not fire the alert. The log of the exporter has the positions.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              // Also shows the kind time, which does not fire the alert.
              expr: `${of('snowgauge:index_integrity_errors')} > 0`,
              legend: `{{index}} {{kind}} ${who}`,
            },
          ],
        },
        {
          title: 'Failed requests to the indexes, the 10 most',
          description:
            'Failed requests within 10 minutes, by outcome. An index that is off, empty or historical is not a failure.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `topk(10, ${of('snowgauge:poll_failures', 'api="index"')})`,
              legend: `{{outcome}} ${who}`,
            },
          ],
        },
      ],
    },
  ],
};
