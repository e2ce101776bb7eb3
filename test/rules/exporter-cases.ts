// Cases of the alerts on the exporter and its connection to the node.

import type { Fires, Quiet } from './case.ts';
import {
  grow,
  healthy,
  hold,
  info,
  inTurn,
  isOfNode,
  ready,
  type Series,
  scraped,
  scrapeLabels,
  until,
  well,
  where,
} from './series.ts';

const node = (steps: number, changes: Series): Series => scraped({ ...well(steps), ...changes });

/** The node stops answering at a step, for some minutes. */
const down = (steps: number, from: number, minutes: number): Series => ({
  ...where(well(steps), isOfNode, inTurn(hold(1, from), hold('_', minutes), hold(1, steps - from - minutes))),
  snowgauge_clock_skew_seconds: inTurn(hold(0, from), hold('_', minutes), hold(0, steps - from - minutes)),
  snowgauge_health_frozen: inTurn(hold(0, from), hold('_', minutes), hold(0, steps - from - minutes)),
});

const history = (failed: string): Series => ({
  snowgauge_event_history_write_failures_total: failed,
  snowgauge_event_history_dropped_records_total: failed.replace(/\b[1-9]\d*(?=x|$)/g, '0'),
});

/** The exporter restarts with an invalid configuration and serves its errors. */
const withoutConfiguration = (steps: number, from: number): Series => ({
  ...until(well(from), from),
  up: hold(1, steps),
  'snowgauge_build_info{version="0.1.0"}': hold(1, steps),
  snowgauge_config_last_reload_successful: inTurn(hold(1, from), hold(0, steps - from)),
});

const found = (steps: number): Series => info('http://127.0.0.1:9650', 'NodeID-a', hold(1, steps), 'mainnet', 'file/0');

/** All series of the exporter are missing from minute 5 to 14. */
const gap = (steps: number): Series =>
  where(
    well(steps),
    (name) => name !== 'up',
    (values) =>
      /^0x/.test(values)
        ? inTurn(hold(0, 5), 'stale', hold('_', 8), hold(0, steps - 14))
        : inTurn(hold(1, 5), 'stale', hold('_', 8), hold(1, steps - 14)),
  );

const overloaded = (loop: string, scrapes: string): Series => ({
  'snowgauge_overloaded{reason="event_loop"}': loop,
  'snowgauge_overloaded{reason="heap"}': hold(0, 40),
  'snowgauge_requests_shed_total{kind="events"}': grow(0, 1, 40),
  'snowgauge_requests_shed_total{kind="scrape"}': scrapes,
});

const isOverloaded = {
  labels: { target: undefined },
  summary: 'Exporter validator-0 is overloaded.',
  description:
    'Exporter validator-0 rejects requests due to event loop lag or heap use: first event streams, then pages, then whole scrapes, so that polls and probes continue. Alerts on its nodes lack the samples of rejected scrapes.',
};

const isDown = (name: string, labels: Fires['labels']): Pick<Fires, 'labels' | 'summary' | 'description'> => ({
  ...(labels && { labels }),
  summary: `Exporter ${name} is down.`,
  description: `Prometheus cannot scrape exporter ${name}, or the exporter has no valid configuration and watches nothing. Its nodes may be healthy, but alerts on them cannot fire.`,
});

export const exporterFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeExporterOverloaded',
    title: 'the event loop is late for 5 minutes',
    series: node(40, overloaded(inTurn(hold(0, 10), hold(1, 30)), hold(0, 40))),
    steps: 40,
    at: 15,
    ...isOverloaded,
  },
  {
    alert: 'SnowgaugeExporterOverloaded',
    title: 'one scrape was rejected, and every other scrape finds no overload',
    series: node(40, overloaded(hold(0, 40), inTurn(hold(0, 10), '_', hold(1, 29)))),
    steps: 40,
    at: 16,
    ...isOverloaded,
  },
  {
    alert: 'SnowgaugeWatchdog',
    title: 'nothing is wrong',
    series: node(10, {}),
    steps: 10,
    at: 1,
    labels: { target: undefined, namespace: undefined, pod: undefined },
    summary: 'Alerts of snowgauge are evaluated and delivered.',
    description: 'This alert always fires. Route it to a service that notifies you when it stops arriving.',
  },
  {
    alert: 'SnowgaugeTargetDown',
    title: 'the node has not answered for 5 minutes',
    series: node(20, { snowgauge_up: inTurn(hold(1, 5), hold(0, 15)) }),
    steps: 20,
    at: 10,
    summary: 'Target node (validator-0) is down.',
    description:
      'No fresh health report from node (validator-0) for staleAfter check intervals (3 by default). Most other alerts for this node are suppressed.',
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'a previously scraped exporter cannot be scraped',
    series: scraped({ ...until(well(5), 5), up: inTurn(hold(1, 5), hold(0, 25)) }),
    steps: 30,
    at: 14,
    soonerIn3: true,
    ...isDown('validator-0', { target: undefined }),
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'one of two exporters without a pod, as in a plain scrape configuration, cannot be scraped',
    series: {
      ...scraped({ ...until(well(5), 5), up: inTurn(hold(1, 5), hold(0, 25)) }, { job: 'snowgauge', instance: 'host-a:9652' }),
      ...scraped(well(30), { job: 'snowgauge', instance: 'host-b:9652' }),
    },
    steps: 30,
    at: 14,
    soonerIn3: true,
    ...isDown('host-a:9652', { namespace: undefined, pod: 'host-a:9652', target: undefined }),
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'an exporter with targets restarts with an invalid configuration and watches none',
    series: scraped(withoutConfiguration(30, 5)),
    steps: 30,
    at: 14,
    soonerIn3: true,
    ...isDown('validator-0', { target: undefined }),
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'one of two exporters cannot be scraped, and the other has its own source of the same name',
    series: {
      ...scraped({ ...until({ ...well(5), ...found(5) }, 5), up: inTurn(hold(1, 5), hold(0, 25)) }),
      ...scraped({ ...well(30), ...found(30) }, 1),
    },
    steps: 30,
    at: 14,
    soonerIn3: true,
    ...isDown('validator-0', { target: undefined }),
  },
  {
    alert: 'SnowgaugeExporterRestarting',
    title: 'an exporter restarts for the third time',
    series: node(40, { process_start_time_seconds: inTurn(hold(1, 10), hold(700, 10), hold(1300, 10), hold(1900, 10)) }),
    steps: 40,
    at: 30,
    labels: { target: undefined },
    summary: 'Exporter validator-0 is restarting: 3 times.',
    description:
      'Exporter validator-0 has restarted 3 times within 1h: it crashes, or the kubelet kills it. Between two restarts its targets are not monitored.',
  },
  {
    alert: 'SnowgaugeEventHistoryLost',
    title: 'the disk of stateDir is full',
    series: node(40, history(inTurn(hold(0, 10), hold(1, 30)))),
    steps: 40,
    at: 25,
    labels: { target: undefined },
    summary: 'Exporter validator-0 loses its event history.',
    description:
      'Exporter validator-0 has failed 1 time to write its event history within an hour: the disk of stateDir is full, slow or read-only, or another snowgauge uses it. Current events of its nodes may be lost.',
  },
  {
    alert: 'SnowgaugeReplicasDisagree',
    title: 'two nodes have one identity',
    series: {
      ...node(30, info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 30))),
      ...scraped(
        { ...well(30), ...info('http://127.0.0.1:9650', 'NodeID-b', hold(1, 30)) },
        { ...scrapeLabels(), instance: 'b' },
      ),
    },
    steps: 30,
    at: 15,
    labels: { network: 'mainnet' },
    summary: 'Exporters disagree about node (validator-0).',
    description:
      'Several exporters report on node (validator-0), and they disagree about its readiness or its NodeID: one of them cannot reach the node, or two nodes share one identity. NodeID: NodeID-a NodeID-b. Network: mainnet.',
  },
  {
    alert: 'SnowgaugeAbsent',
    title: 'the last exporter of a fleet is gone',
    series: scraped(until(well(5), 5)),
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined },
    summary: 'Prometheus scrapes no snowgauge exporter in avalanche.',
    description:
      'Prometheus scrapes no snowgauge exporter in avalanche: none is deployed, or service discovery finds none. No other snowgauge alert can fire there.',
  },
  {
    alert: 'SnowgaugeAbsent',
    title: 'there has never been an exporter',
    series: { 'up{job="other",instance="10.9.9.9:80"}': hold(1, 20) },
    steps: 20,
    at: 10,
    labels: { target: undefined, namespace: undefined, pod: undefined },
    summary: 'Prometheus scrapes no snowgauge exporter.',
    description:
      'Prometheus scrapes no snowgauge exporter: none is deployed, or service discovery finds none. No other snowgauge alert can fire there.',
  },
  {
    alert: 'SnowgaugeConfigReloadFailed',
    title: 'the new configuration of one of two exporters without a pod has an error',
    series: {
      ...scraped(
        { ...well(20), snowgauge_config_last_reload_successful: inTurn(hold(1, 5), hold(0, 15)) },
        { job: 'snowgauge', instance: 'host-a:9652' },
      ),
      ...scraped(well(20), { job: 'snowgauge', instance: 'host-b:9652' }),
    },
    steps: 20,
    at: 15,
    labels: { namespace: undefined, pod: 'host-a:9652', target: undefined },
    summary: 'Exporter host-a:9652 failed to reload its configuration.',
    description:
      'The configuration of exporter host-a:9652 is invalid. The exporter keeps the previous one until it restarts; without one it watches nothing.',
  },
  {
    alert: 'SnowgaugePodLabelSyncFailing',
    title: 'the pod cannot reach the API server while a subnet fails, and is still scraped',
    series: node(20, {
      snowgauge_pod_labels_current: inTurn(hold(1, 5), hold(0, 15)),
      'snowgauge_pod_label_patches_total{outcome="unreachable"}': inTurn(hold(0, 5), grow(43, 43, 15)),
      ...healthy(inTurn(hold(1, 5), hold(0, 15)), ['my-l1']),
      ...ready(inTurn(hold(1, 5), hold(0, 15)), ['my-l1']),
    }),
    steps: 20,
    at: 15,
    labels: { target: undefined },
    summary: 'Exporter validator-0 fails to sync the labels of its pod.',
    description:
      'The labels ready.snowgauge.io/* of the pod of exporter validator-0 do not match the current conditions. Services that select by these labels may route to a node that is not ready.',
  },
  {
    alert: 'SnowgaugeClockSkew',
    title: "the node's clock is a minute behind",
    series: node(30, { snowgauge_clock_skew_seconds: inTurn(hold(0, 5), hold(-60, 25)) }),
    steps: 30,
    at: 20,
    summary: 'Clock of node (validator-0) is off by 1m 0s.',
    description:
      'The clocks of node (validator-0) and its exporter differ by 1m 0s. A node with a wrong clock rejects blocks, and other nodes reject its blocks.',
  },
];

export const exporterQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeExporterOverloaded',
    title: 'the exporter is overloaded for 4 minutes and rejects no scrape',
    series: node(40, overloaded(inTurn(hold(0, 10), hold(1, 4), hold(0, 26)), hold(0, 40))),
    steps: 40,
  },
  {
    alert: 'SnowgaugeExporterOverloaded',
    title: 'the exporter rejected scrapes before the first sample, and none since',
    series: node(40, overloaded(hold(0, 40), hold(5, 40))),
    steps: 40,
  },
  {
    alert: 'SnowgaugeExporterRestarting',
    title: 'an exporter is restarted twice',
    series: node(40, { process_start_time_seconds: inTurn(hold(1, 10), hold(700, 10), hold(1300, 20)) }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeExporterRestarting',
    title: 'another job restarts',
    series: {
      ...node(40, {}),
      'process_start_time_seconds{job="other",instance="10.9.9.9:80"}': grow(0, 60, 40),
    },
    steps: 40,
  },
  {
    alert: 'SnowgaugeEventHistoryLost',
    title: 'every record is written',
    series: node(40, history(hold(0, 40))),
    steps: 40,
  },
  {
    alert: 'SnowgaugeEventHistoryLost',
    title: 'a write failed before the exporter restarted',
    series: node(90, history(inTurn(hold(5, 20), hold(0, 70)))),
    steps: 90,
  },
  {
    alert: 'SnowgaugeReplicasDisagree',
    title: 'a replica observes the readiness one poll later',
    series: {
      ...node(60, ready(inTurn(hold(1, 20), hold(0, 20), hold(1, 20)))),
      ...scraped({ ...well(60), ...ready(inTurn(hold(1, 21), hold(0, 20), hold(1, 19))) }, { ...scrapeLabels(), instance: 'b' }),
    },
    steps: 60,
  },
  {
    alert: 'SnowgaugeReplicasDisagree',
    title: 'every sidecar has a target of the same name',
    series: {
      ...node(30, info('http://127.0.0.1:9650', 'NodeID-a', hold(1, 30))),
      ...scraped({ ...well(30), ...info('http://127.0.0.1:9650', 'NodeID-b', hold(1, 30)) }, 1),
    },
    steps: 30,
  },
  {
    alert: 'SnowgaugeTargetDown',
    title: 'the node is back after 4 minutes',
    series: node(20, { ...down(20, 5, 4), snowgauge_up: inTurn(hold(1, 5), hold(0, 4), hold(1, 11)) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeTargetDown',
    title: 'the node is unhealthy for a short while',
    series: node(20, { 'snowgauge_health_healthy{tag_set="all"}': inTurn(hold(1, 5), hold(0, 8), hold(1, 7)) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'a scrape fails occasionally',
    series: node(20, { up: '1 1 0 1 1 0 0 1 1 1 0 0 0 1 1 1 1 1 1 1' }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeExporterDown',
    title: 'another job cannot be scraped',
    series: { ...node(20, {}), 'up{job="other",instance="10.9.9.9:80"}': hold(0, 20) },
    steps: 20,
  },
  {
    alert: 'SnowgaugeAbsent',
    title: 'one exporter of two is left',
    series: { ...node(30, {}), ...scraped({ 'snowgauge_build_info{version="0.1.0"}': inTurn(hold(1, 5), 'stale') }, 1) },
    steps: 30,
  },
  {
    alert: 'SnowgaugeAbsent',
    title: 'fleets are distinguished by a label of the targets, which the exporter lacks',
    set: ['fleet=site', 'identity=cluster, namespace, pod, target, site'],
    series: { ...scraped(until(well(5), 5), 0, 'removed', 'site="fra"'), ...node(30, {}) },
    steps: 30,
  },
  {
    alert: 'SnowgaugeAbsent',
    title: 'there is no exporter for 9 minutes',
    series: node(30, { up: inTurn(hold(1, 5), 'stale', hold('_', 8), hold(1, 16)), ...gap(30) }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeConfigReloadFailed',
    title: 'the configuration is fixed within 4 minutes',
    series: node(20, { snowgauge_config_last_reload_successful: inTurn(hold(1, 5), hold(0, 4), hold(1, 11)) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeConfigReloadFailed',
    title: 'a valid configuration is reloaded repeatedly',
    series: node(20, { snowgauge_config_last_reload_success_timestamp_seconds: grow(0, 60, 20) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugePodLabelSyncFailing',
    title: 'the API server is unreachable for 4 minutes',
    series: node(20, { snowgauge_pod_labels_current: inTurn(hold(1, 5), hold(0, 4), hold(1, 11)) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugePodLabelSyncFailing',
    title: 'pod labels are disabled',
    series: node(20, { snowgauge_pod_labels_current: hold('_', 20) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeClockSkew',
    title: 'the clocks are 10 seconds apart',
    series: node(30, { snowgauge_clock_skew_seconds: hold(10, 30) }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeClockSkew',
    title: 'a clock step is corrected within 14 minutes',
    series: node(30, { snowgauge_clock_skew_seconds: inTurn(hold(0, 5), hold(600, 14), hold(0, 11)) }),
    steps: 30,
  },
];
