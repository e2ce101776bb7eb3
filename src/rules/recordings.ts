// Recording rules that several alerts and dashboards use. They are in one group, and each can use those above it.

import { healthRecordings } from './health-recordings.ts';
import { identityRecordings } from './identity.ts';
import { nodeIdRecordings } from './identity-inputs.ts';
import { presenceRecordings } from './presence-recordings.ts';
import type { Recording } from './rule.ts';
import { shardRecordings } from './shard-recordings.ts';
import { sloRecordings } from './slo-recordings.ts';
import { validatorRecordings, validatorUp } from './validator-inputs.ts';

/** Chain IDs are unique across networks, except for that of the P-Chain. Aliases such as C are not. */
const withId = 'chain=~"[1-9A-HJ-NP-Za-km-z]{40,}", chain!="11111111111111111111111111111111LpoYY"';

const networkRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:comparable_height',
    help: '`snowgauge:chain_height`, with the label `network` if other networks use the same chain name. No sample if that network is unknown.',
    expr: ({ set }) => `snowgauge:chain_height{${withId}}
or
(
  snowgauge:chain_height unless snowgauge:chain_height{${withId}}
)
* on (${set.identity}) group_left (network)
snowgauge:network{network!=""}`,
  },
  {
    record: 'snowgauge:chain_behind_blocks',
    help: 'Blocks that the node is behind the highest of your nodes, per chain.',
    expr: () =>
      'max by (chain, network) (snowgauge:comparable_height) - on (chain, network) group_right () snowgauge:comparable_height',
  },
  {
    record: 'snowgauge:chain_connected_ratio',
    help: 'Connected stake of a chain. No sample while the chain bootstraps.',
    expr: ({ identified }) => `${identified('max', 'snowgauge_chain_connected_ratio', ['chain'])}
and
snowgauge:chain_height`,
  },
  {
    record: 'snowgauge:node_peers',
    help: '`snowgauge:peers` by NodeID: it is kept when a target is renamed.',
    expr: ({ withNodeId }) => `max by (node_id) (${withNodeId('snowgauge:peers')})`,
  },
  {
    record: 'snowgauge:peers_baseline',
    help: 'Median number of peers over `peersWindow`, by identity or by NodeID, whichever is higher.',
    expr: ({ set }) => `max by (${set.identity}) (
  quantile_over_time(0.5, snowgauge:peers[${set.peersWindow}])
  or
  snowgauge:node_id * on (node_id) group_left () quantile_over_time(0.5, snowgauge:node_peers[${set.peersWindow}])
)`,
  },
  {
    record: 'snowgauge:no_messages_seconds',
    help: 'Time without inbound messages, as of the last run of check network.',
    // Both times are by the node's clock, so neither clock skew nor the age of the report matters.
    expr: ({ identified }) =>
      `${identified('max', 'snowgauge_check_last_run_timestamp_seconds', [], ['check="network"'])}
-
${identified('max', 'snowgauge_network_last_message_received_timestamp_seconds', [])}`,
  },
  {
    record: 'snowgauge:disk_full_in_seconds',
    help: 'Predicted time until the node shuts itself down due to a full disk. No sample unless free space is shrinking.',
    expr: ({ set }) => `(
  (
    snowgauge:disk_available_bytes
    - ${set.diskRequired} * snowgauge:disk_available_bytes / snowgauge:disk_available_ratio
  )
  or
  snowgauge:disk_available_bytes
)
/ -(deriv(snowgauge:disk_available_bytes[${set.diskTrendWindow}]) < 0)`,
  },
];

const otherRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:check_failures',
    help: 'How often a check started to fail within `flapWindow`.',
    expr: ({ set, counted }) => counted('snowgauge_check_transitions_total', ['check'], set.flapWindow, ['to="failing"']),
  },
  {
    record: 'snowgauge:index_integrity_errors',
    help: 'Integrity errors of an index within `indexErrorWindow`, by kind. If Prometheus has known the exporter of the target for less, all since the exporter started.',
    expr: ({ set, countedFromStart }) =>
      countedFromStart('snowgauge_index_integrity_errors_total', ['index', 'kind'], set.indexErrorWindow),
  },
  {
    record: 'snowgauge:index_stalled',
    help: '1 for each index that has not grown while its chain has. No sample for other indexes, or if the index is off.',
    // A height from before the index was turned off is not current: the index must have a height now.
    expr: ({ set }) => `group by (${set.identity}, index) (
  label_replace(
    changes(snowgauge:index_height{index=~"./block"}[${set.indexWindow}]) == 0 and snowgauge:index_height,
    "chain", "$1", "index", "(.)/block"
  )
  and on (${set.identity}, chain)
  delta(snowgauge:chain_height[${set.indexWindow}]) > 0
)`,
  },
  {
    record: 'snowgauge:poll_failures',
    help: 'Failed requests to a node within `failureWindow`, by api and outcome.',
    // The series of a failure begins at 1, which increase() ignores. If it is younger than the `ok` series, it was 0 before.
    expr: ({ set, of }) => {
      const failed = of('snowgauge_polls_total', 'outcome!="ok"');
      const ok = of('snowgauge_polls_total', 'outcome="ok"');
      return `(
  ${failed}
  and
  count_over_time(${failed}[${set.failureWindow}]) < ignoring (outcome) group_left () count_over_time(${ok}[${set.failureWindow}])
  or
  increase(${failed}[${set.failureWindow}])
) > 0`;
    },
  },
  {
    record: 'snowgauge:tag_set_check_healthy',
    help: '1 if the check passes, 0 if it fails, for each check of each tag set.',
    expr: ({ set }) => `snowgauge:tag_set_check * on (${set.identity}, check) group_left () snowgauge:check_healthy`,
  },
  {
    record: 'snowgauge:tag_set_check_failing_seconds',
    help: '`snowgauge:check_failing_seconds` for each tag set that the check counts for, with any reason.',
    expr: ({ set }) => `snowgauge:tag_set_check
* on (${set.identity}, check) group_left (reason)
topk by (${set.identity}, check) (1,
  snowgauge:check_failure_reason * on (${set.identity}, check) group_left () snowgauge:check_failing_seconds
)`,
  },
  {
    record: 'snowgauge:tag_set_chain_info',
    help: '1 for each chain of each tag set. Joins families with label `chain` to tag sets.',
    expr: ({ of }) => `max without (check) (label_replace(${of('snowgauge_tag_set_check_info')}, "chain", "$1", "check", "(.+)"))
and ignoring (tag_set)
(${of('snowgauge_chain_connected_ratio')} or ${of('snowgauge_chain_last_accepted_height')})`,
  },
];

interface RecordingGroup {
  readonly name: string;
  /** Evaluation interval. Default: that of Prometheus. */
  readonly interval?: string;
  readonly recordings: readonly Recording[];
}

export const recordingGroups: readonly RecordingGroup[] = [
  {
    name: 'snowgauge-recording',
    recordings: [
      ...shardRecordings,
      ...identityRecordings,
      ...presenceRecordings,
      validatorUp,
      ...networkRecordings,
      ...healthRecordings,
      ...otherRecordings,
      ...nodeIdRecordings,
    ],
  },
  // Slopes over days change slowly.
  { name: 'snowgauge-validator-recording', interval: '1m', recordings: validatorRecordings },
  // Averages over up to 30 days: 21,600 samples per tag set, at 2m.
  { name: 'snowgauge-objective', interval: '2m', recordings: sloRecordings },
];

export const recordings: readonly Recording[] = recordingGroups.flatMap((group) => group.recordings);
