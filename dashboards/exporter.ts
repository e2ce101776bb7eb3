// The exporter itself: polling, detection delay, and cost.

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
  `topk(10, histogram_quantile(${q}, sum without (instance) (rate(${of_}[$__rate_interval]))))`;

/** Restricted to exporters: `up` and process metrics exist for every job. */
const ours = (expr: string): string => `${expr}\nand on (job, instance)\n${of('snowgauge_build_info')}`;

export const exporter: Board = {
  uid: dashboards.exporter.uid,
  title: 'Snowgauge / Exporter',
  description: 'The exporter itself: polls, detection delay and resource usage.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.pods],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Exporters',
          description: 'Running exporters by version.',
          view: 'number',
          width: 4,
          height: 4,
          unit: 'short',
          steps: plain,
          queries: [{ expr: `count by (version) (${of('snowgauge_build_info')})`, legend: '{{version}}' }],
        },
        {
          title: 'Not scraped',
          description: 'Exporters of the last day that Prometheus cannot scrape now: their targets are not monitored.',
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
          title: 'Configuration valid',
          description: 'No: the last reload failed, and the next restart will fail.',
          view: 'number',
          width: 5,
          height: 4,
          words: yes,
          queries: [{ expr: `min(${of('snowgauge_config_last_reload_successful')})` }],
        },
        {
          title: 'Dropped by limits',
          description: 'Checks and message fields that exceed a limit and are not exported: docs/metrics.md, Limits.',
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
          title: 'Pod label sync failing',
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
        lines('Failed requests, the 10 most', 'Requests to the nodes that failed within 10 minutes, by outcome.', 'short', [
          {
            expr: `topk(10, ${of('snowgauge:poll_failures')})`,
            legend: `{{api}} {{outcome}} ${who}`,
          },
        ]),
        lines('Poll duration, the 10 longest', 'All requests of a poll: median and 99th percentile.', 's', [
          { expr: quantile(of('snowgauge_poll_duration_seconds_bucket'), 0.5), legend: `median ${who}` },
          { expr: quantile(of('snowgauge_poll_duration_seconds_bucket'), 0.99), legend: `99 % ${who}` },
        ]),
        lines(
          'Detection delay, the 10 longest',
          'Delay between the end of a health check run and its observation. Far below a check interval once polls follow the runs.',
          's',
          [
            { expr: quantile(of('snowgauge_health_detection_delay_seconds_bucket'), 0.5), legend: `median ${who}` },
            { expr: quantile(of('snowgauge_health_detection_delay_seconds_bucket'), 0.95), legend: `95 % ${who}` },
          ],
        ),
        lines('Missed runs, the 10 most', 'Health check runs per minute that no poll observed.', 'short', [
          {
            expr: `topk(10, 60 * rate(${of('snowgauge_check_missed_runs_total')}[$__rate_interval]))`,
            legend: who,
          },
        ]),
        lines('Check interval, the 10 longest', 'Time between two health check runs, inferred from the reports.', 's', [
          { expr: `topk(10, ${of('snowgauge_health_check_interval_seconds')})`, legend: who },
        ]),
        lines('Event history not written', 'Failed writes and dropped records per minute.', 'short', [
          {
            expr: `60 * rate(${of('snowgauge_event_history_write_failures_total')}[$__rate_interval])`,
            legend: `failed ${process}`,
          },
          {
            expr: `60 * rate(${of('snowgauge_event_history_dropped_records_total')}[$__rate_interval])`,
            legend: `dropped ${process}`,
          },
        ]),
      ],
    },
    {
      title: 'Resource usage',
      panels: [
        lines('Memory', 'Resident memory, used heap and heap limit.', 'bytes', [
          { expr: ours(of('process_resident_memory_bytes')), legend: `resident ${process}` },
          { expr: ours(of('nodejs_heap_size_used_bytes')), legend: `heap ${process}` },
          { expr: of('snowgauge_heap_limit_bytes'), legend: `heap limit ${process}` },
        ]),
        lines('CPU', 'Fraction of one core.', 'percentunit', [
          { expr: ours(`rate(${of('process_cpu_seconds_total')}[$__rate_interval])`), legend: process },
        ]),
        lines('Event loop lag', '99th percentile. A high lag delays polls.', 's', [
          { expr: ours(of('nodejs_eventloop_lag_p99_seconds')), legend: process },
        ]),
        lines(
          'Rejected requests',
          'Requests per minute rejected due to event loop lag or heap use: first event streams, then pages, then scrapes.',
          'short',
          [
            {
              expr: `60 * rate(${of('snowgauge_requests_shed_total')}[$__rate_interval])`,
              legend: `{{kind}} ${process}`,
            },
          ],
        ),
        lines('Samples per scrape', 'Number of samples in the response.', 'short', [
          { expr: ours(of('scrape_samples_scraped')), legend: process },
        ]),
        lines('Scrape duration', 'Measured by Prometheus.', 's', [
          { expr: ours(of('scrape_duration_seconds')), legend: process },
        ]),
      ],
    },
  ],
};
