// The container indexes: on, in step with their chains, without gaps.

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

export const containerIndex: Board = {
  uid: dashboards.index.uid,
  title: 'Snowgauge / Index',
  description: 'The container indexes: on, in step with their chains, without gaps.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.pods, variables.network, variables.targets],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        count(
          'Off or failing',
          'Indexes that are configured and give no answer.',
          `${of('snowgauge_index_state', 'state=~"off|error"')} == 1`,
        ),
        count(
          'Disagree with their chain',
          'Indexes that deny the last block of their chain, twice, a poll apart.',
          `${of('snowgauge_index_agrees_with_chain')} == 0`,
        ),
        count('Stand still', 'Indexes that have not grown for 15 minutes while their chain has.', of('snowgauge:index_stalled')),
        count(
          'Lack blocks',
          'Indexes that are missing blocks of their chain. Only indexing from an empty database adds them.',
          `${of('snowgauge_index_height_drift')} > 0`,
          noneIsBest,
        ),
        {
          title: 'Indexes, worst first',
          description: 'Errors are those that were found along the tail in the time that is shown.',
          view: 'table',
          width: 24,
          height: 10,
          queries: [
            { expr: `sum without (kind) (increase(${of('snowgauge_index_integrity_errors_total')}[$__range]))` },
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
      title: 'How it came',
      panels: [
        {
          title: 'State',
          description: 'Off is a 404; historical is X/tx and X/vtx, which a node no longer fills.',
          view: 'states',
          width: 24,
          height: 9,
          // One number for each index: the state that is 1.
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
              expr: ['ok', 'empty', 'historical', 'unknown', 'off', 'error']
                .map((state, at) => `max without (state) (${of('snowgauge_index_state', `state="${state}"`)} == 1) * ${at}`)
                .join('\nor\n'),
              legend: `{{index}} ${who}`,
            },
          ],
        },
        {
          title: 'Containers a second',
          description: 'How fast each index grows.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `deriv(${of('snowgauge_index_last_accepted_height')}[$__rate_interval])`,
              legend: `{{index}} ${who}`,
            },
          ],
        },
        {
          title: 'Blocks that are lacking',
          description: 'Height of the chain minus the containers in the index: 0 where it is complete.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          steps: noneIsBest,
          queries: [{ expr: of('snowgauge_index_height_drift'), legend: `{{index}} ${who}` }],
        },
        {
          title: 'Integrity errors',
          description:
            'Found along the tail, by kind: a gap, or a number, id, time, bytes or hash that is wrong. The log of the exporter has where.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `increase(${of('snowgauge_index_integrity_errors_total')}[$__rate_interval]) > 0`,
              legend: `{{index}} {{kind}} ${who}`,
            },
          ],
        },
        {
          title: 'Failed requests to the indexes',
          description: 'Within ten minutes, by outcome. An index that is off, empty or historical is an answer.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: of('snowgauge:poll_failures', 'api="index"'),
              legend: `{{outcome}} ${who}`,
            },
          ],
        },
      ],
    },
  ],
};
