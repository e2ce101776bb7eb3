// The exporter itself: does it poll, does it know in time, what does it cost.

import { dashboards } from '../src/rules/rule.ts';
import type { Board, Panel, Query } from './board.ts';
import { none, noneIsBest, plain, yes } from './looks.ts';
import { marks, ofPod as of, variables, who } from './scope.ts';
import { firingAlerts } from './shared.ts';

const lines = (title: string, description: string, unit: string, queries: readonly Query[]): Panel => ({
  title,
  description,
  view: 'lines',
  width: 8,
  height: 8,
  unit,
  min: 0,
  queries,
});

const process = '{{cluster}} {{namespace}} {{pod}} {{instance}}';

const quantile = (of_: string, q: number): string =>
  `histogram_quantile(${q}, sum without (instance) (rate(${of_}[$__rate_interval])))`;

/** Of the same scrape as an exporter: `up` and process metrics are everybody's. */
const ours = (expr: string): string => `${expr}\nand on (job, instance)\n${of('snowgauge_build_info')}`;

export const exporter: Board = {
  uid: dashboards.exporter.uid,
  title: 'Snowgauge / Exporter',
  description: 'The exporter itself: does it poll, does it know in time, what does it cost.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.pods],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Exporters',
          description: 'By version.',
          view: 'number',
          width: 4,
          height: 4,
          unit: 'short',
          steps: plain,
          queries: [{ expr: `count by (version) (${of('snowgauge_build_info')})`, legend: '{{version}}' }],
        },
        {
          title: 'Not scraped',
          description: 'Exporters of the last day that Prometheus cannot scrape now: nobody looks at their nodes.',
          view: 'number',
          width: 5,
          height: 4,
          unit: 'short',
          steps: none,
          queries: [
            {
              expr: `count(${of('up')} == 0 and on (job, instance) last_over_time(${of('snowgauge_build_info')}[1d])) or vector(0)`,
            },
          ],
        },
        {
          title: 'Configuration is right',
          description: 'No: the last reload had an error, and the next restart will fail.',
          view: 'number',
          width: 5,
          height: 4,
          words: yes,
          queries: [{ expr: `min(${of('snowgauge_config_last_reload_successful')})` }],
        },
        {
          title: 'Left out for their number',
          description:
            'Checks and fields of messages that are not exported, because there are too many: docs/metrics.md, Bounds.',
          view: 'number',
          width: 5,
          height: 4,
          unit: 'short',
          steps: noneIsBest,
          queries: [
            {
              expr: `sum(${of('snowgauge_checks_dropped')} or ${of('snowgauge_tag_set_checks_dropped')} or ${of('snowgauge_check_fields_dropped')}) or vector(0)`,
            },
          ],
        },
        {
          title: 'Pod labels not kept',
          description:
            'Exporters that fail to sync the labels of their pod: Services for one subnet use outdated labels. 0 also if podLabels is disabled.',
          view: 'number',
          width: 5,
          height: 4,
          unit: 'short',
          steps: noneIsBest,
          queries: [{ expr: `count(${of('snowgauge_pod_labels_current')} == 0) or vector(0)` }],
        },
        firingAlerts(of, 6),
      ],
    },
    {
      title: 'Polls',
      panels: [
        lines('Failed requests', 'Requests to the nodes that failed within ten minutes, by outcome; none is best.', 'short', [
          {
            expr: of('snowgauge:poll_failures'),
            legend: `{{api}} {{outcome}} ${who}`,
          },
        ]),
        lines('Duration of a poll', 'Of all its requests: the median, and the longest of a hundred.', 's', [
          { expr: quantile(of('snowgauge_poll_duration_seconds_bucket'), 0.5), legend: `median ${who}` },
          { expr: quantile(of('snowgauge_poll_duration_seconds_bucket'), 0.99), legend: `99 % ${who}` },
        ]),
        lines(
          'Detection delay',
          'From the end of a health check run of the node to its observation: far below a check interval where the phase is found.',
          's',
          [
            { expr: quantile(of('snowgauge_health_detection_delay_seconds_bucket'), 0.5), legend: `median ${who}` },
            { expr: quantile(of('snowgauge_health_detection_delay_seconds_bucket'), 0.95), legend: `95 % ${who}` },
          ],
        ),
        lines('Runs missed', 'Health check runs that no poll saw, a minute.', 'short', [
          {
            expr: `60 * rate(${of('snowgauge_check_missed_runs_total')}[$__rate_interval])`,
            legend: who,
          },
        ]),
        lines('Check interval', 'Time between two health check runs, as inferred from the reports.', 's', [
          { expr: of('snowgauge_health_check_interval_seconds'), legend: who },
        ]),
        lines('Event history not written', 'Failed writes and dropped records per minute.', 'short', [
          {
            expr: `60 * rate(${of('snowgauge_event_history_write_failures_total')}[$__rate_interval])`,
            legend: `failed ${process}`,
          },
          {
            expr: `60 * rate(${of('snowgauge_event_history_dropped_records_total')}[$__rate_interval])`,
            legend: `lost ${process}`,
          },
        ]),
      ],
    },
    {
      title: 'Cost',
      panels: [
        lines('Memory', 'Resident, and the part of it that JavaScript uses.', 'bytes', [
          { expr: ours(of('process_resident_memory_bytes')), legend: `resident ${process}` },
          { expr: ours(of('nodejs_heap_size_used_bytes')), legend: `heap ${process}` },
          { expr: of('snowgauge_heap_limit_bytes'), legend: `limit of the heap ${process}` },
        ]),
        lines('CPU', 'Part of one core.', 'percentunit', [
          { expr: ours(`rate(${of('process_cpu_seconds_total')}[$__rate_interval])`), legend: process },
        ]),
        lines('Event loop', 'How late it runs, of a hundred the longest. Much of it makes polls late.', 's', [
          { expr: ours(of('nodejs_eventloop_lag_p99_seconds')), legend: process },
        ]),
        lines(
          'Requests refused',
          'Because the event loop was late or the heap full, a minute: events, then pages, then scrapes.',
          'short',
          [
            {
              expr: `60 * rate(${of('snowgauge_requests_shed_total')}[$__rate_interval])`,
              legend: `{{kind}} ${process}`,
            },
          ],
        ),
        lines('Samples of a scrape', 'Series on the page.', 'short', [
          { expr: ours(of('scrape_samples_scraped')), legend: process },
        ]),
        lines('Duration of a scrape', 'As Prometheus sees it.', 's', [
          { expr: ours(of('scrape_duration_seconds')), legend: process },
        ]),
      ],
    },
  ],
};
