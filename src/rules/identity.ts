// The first recording rules: whose series are whose, and each family that the others read, with the labels of the identity alone.
//
// The identity is the target, the cluster and namespace, and the pod where the exporter is a sidecar: the url of its node is then on
// loopback. Where there is no pod, as in a plain scrape configuration, its instance stands for it. An exporter of other hosts has
// its pod left out: another replica sees the same nodes.

import type { Aggregation, Family, Recording, Terms } from './rule.ts';

/** Nodes of other operators, which are compared with and never alerted on. */
export const reference = 'reference="true"';

const identity: readonly Recording[] = [
  {
    record: 'snowgauge:scraped',
    help: '`snowgauge_up` of every target but reference nodes, and what it was last while an exporter cannot be scraped.',
    expr: ({ set, of }) => {
      const up = of('snowgauge_up', 'reference!="true"');
      return `${up}
or
last_over_time(${up}[${set.scrapeGap}]) unless on (${set.exporter}, pod, target) ${of('snowgauge_up')}`;
    },
  },
  {
    record: 'snowgauge:remote',
    help: 'Always 1, for each target whose exporter is not beside it.',
    expr: ({ set, of }) =>
      `group by (${set.exporter}, pod, target) (last_over_time(${of('snowgauge_target_info', `url!~"${set.sidecarUrls}"`)}[${set.scrapeGap}]))`,
  },
  {
    record: 'snowgauge:exporter_target',
    help: 'Always 1. One series for each exporter and target; `pod` is that of the identity, `exporter_pod` that of the exporter.',
    expr: ({ set }) => {
      const remote = `on (${set.exporter}, pod, target) snowgauge:remote`;
      return `group by (${set.exporter}, exporter_pod, ${set.identity}) (
  label_replace(snowgauge:scraped{pod!=""} unless ${remote}, "exporter_pod", "$1", "pod", "(.*)")
  or
  label_replace(snowgauge:scraped{pod=""} unless ${remote}, "pod", "$1", "instance", "(.*)")
  or
  label_replace(
    label_replace(snowgauge:scraped and ${remote}, "exporter_pod", "$1", "pod", "(.*)"),
    "pod", "", "", ""
  )
)`;
    },
  },
  {
    record: 'snowgauge:identity',
    help: 'The same for the exporters that count: those that are scraped now, or the last ones where a target has none. Every other rule joins with it.',
    expr: ({ set, of }) => {
      const scraped = `snowgauge:exporter_target and on (${set.exporter}, exporter_pod, target) label_replace(${of('snowgauge_up')}, "exporter_pod", "$1", "pod", "(.*)")`;
      return `(
  ${scraped}
)
or
(
  snowgauge:exporter_target
  unless on (${set.identity})
  (${scraped})
)`;
    },
  },
];

interface Fact {
  readonly record: Recording['record'];
  readonly help: string;
  readonly by: Aggregation;
  readonly family: Family;
  readonly labels?: readonly string[];
  readonly matchers?: readonly string[];
}

const facts: readonly Fact[] = [
  { record: 'snowgauge:up', help: '1 if a replica has a fresh health report of the target.', by: 'max', family: 'snowgauge_up' },
  {
    record: 'snowgauge:last_report',
    help: 'Time of the last health report.',
    by: 'max',
    family: 'snowgauge_last_report_timestamp_seconds',
  },
  {
    record: 'snowgauge:ready',
    help: '1 while the condition Ready of a node is True for the tag set, 0 while it is False or Unknown.',
    by: 'max',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Ready"', 'status="true"'],
  },
  {
    record: 'snowgauge:ready_by_all',
    help: 'The same, and 0 if one replica of the exporter says otherwise.',
    by: 'min',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Ready"', 'status="true"'],
  },
  {
    record: 'snowgauge:unhealthy',
    help: '1 while the condition Healthy of a node is False for the tag set, 0 while it is True or Unknown.',
    by: 'max',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Healthy"', 'status="false"'],
  },
  {
    record: 'snowgauge:not_live',
    help: '1 while the condition Live of a node is False.',
    by: 'max',
    family: 'snowgauge_target_condition',
    matchers: ['condition="Live"', 'status="false"'],
  },
  { record: 'snowgauge:frozen', help: '1 while no health check runs.', by: 'max', family: 'snowgauge_health_frozen' },
  {
    record: 'snowgauge:frozen_suspect',
    help: '1 for the check that the others may wait for.',
    by: 'max',
    family: 'snowgauge_health_frozen_suspect',
    labels: ['check'],
  },
  {
    record: 'snowgauge:clock_skew_seconds',
    help: 'Node clock minus exporter clock.',
    by: 'max',
    family: 'snowgauge_clock_skew_seconds',
  },
  {
    record: 'snowgauge:node_id',
    help: 'Always 1, with the NodeID of the target where it is known.',
    by: 'max',
    family: 'snowgauge_target_info',
    labels: ['node_id'],
    matchers: ['node_id!=""'],
  },
  {
    record: 'snowgauge:maintenance_end',
    help: 'The end of the maintenance window of the target.',
    by: 'max',
    family: 'snowgauge_target_maintenance_end_timestamp_seconds',
  },
  {
    record: 'snowgauge:bootstrapping_subnets',
    help: 'Subnets that are still bootstrapping.',
    by: 'max',
    family: 'snowgauge_bootstrapping_subnets',
  },
  {
    record: 'snowgauge:check_healthy',
    help: '1 if the check passes.',
    by: 'min',
    family: 'snowgauge_check_healthy',
    labels: ['check'],
  },
  {
    record: 'snowgauge:check_failure_reason',
    help: '1 for the current reason of a failing check.',
    by: 'max',
    family: 'snowgauge_check_failure_reason',
    labels: ['check', 'reason'],
  },
  {
    record: 'snowgauge:check_first_failure',
    help: 'Since when the check fails, by the node clock.',
    by: 'min',
    family: 'snowgauge_check_first_failure_timestamp_seconds',
    labels: ['check'],
  },
  {
    record: 'snowgauge:tag_set_check',
    help: '1 for each check that counts for the tag set.',
    by: 'max',
    family: 'snowgauge_tag_set_check_info',
    labels: ['tag_set', 'check'],
  },
  {
    record: 'snowgauge:tag_set_failing_checks',
    help: 'Failing checks that count for the tag set.',
    by: 'max',
    family: 'snowgauge_tag_set_failing_checks',
    labels: ['tag_set'],
  },
  {
    record: 'snowgauge:tag_known',
    help: '1 if the tag selects a check.',
    by: 'min',
    family: 'snowgauge_tag_known',
    labels: ['tag_set', 'tag'],
  },
  { record: 'snowgauge:peers', help: 'Peers of the node.', by: 'max', family: 'snowgauge_network_connected_peers' },
  {
    record: 'snowgauge:chain_height',
    help: 'Height of the last accepted block of the chain.',
    by: 'max',
    family: 'snowgauge_chain_last_accepted_height',
    labels: ['chain'],
  },
  {
    record: 'snowgauge:upgrade_timestamp',
    help: 'Time of the next network upgrade.',
    by: 'min',
    family: 'snowgauge_upgrade_timestamp_seconds',
  },
  {
    record: 'snowgauge:disk_available_bytes',
    help: 'Free bytes of the disk.',
    by: 'min',
    family: 'snowgauge_disk_available_bytes',
  },
  {
    record: 'snowgauge:disk_available_ratio',
    help: 'Free fraction of the disk.',
    by: 'min',
    family: 'snowgauge_disk_available_ratio',
  },
  {
    record: 'snowgauge:index_height',
    help: 'Index of the last container.',
    by: 'max',
    family: 'snowgauge_index_last_accepted_height',
    labels: ['index'],
  },
  {
    record: 'snowgauge:index_state',
    help: '1 while the index is off, or requests to it fail.',
    by: 'max',
    family: 'snowgauge_index_state',
    labels: ['index', 'state'],
    matchers: ['state=~"off|error"'],
  },
  {
    record: 'snowgauge:index_drift',
    help: 'Blocks missing from the index.',
    by: 'min',
    family: 'snowgauge_index_height_drift',
    labels: ['index'],
  },
  {
    record: 'snowgauge:index_agrees',
    help: '1 if the index has the last block of its chain.',
    by: 'max',
    family: 'snowgauge_index_agrees_with_chain',
    labels: ['index'],
  },
];

const factRecording = ({ record, help, by, family, labels = [], matchers = [] }: Fact): Recording => ({
  record,
  help,
  expr: ({ identified }: Terms) => identified(by, family, labels, ...matchers),
});

export const identityRecordings: readonly Recording[] = [...identity, ...facts.map(factRecording)];
