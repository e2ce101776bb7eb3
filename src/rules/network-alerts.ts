// Alerts on a node's place in its network: peers, stake, messages, upgrades. And on its disk.

import { type Alert, dashboards, theNode } from './rule.ts';

const connected = 'snowgauge:chain_connected_ratio';

export const networkAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeConnectedStakeLow',
    severity: 'warning',
    when: "the node is connected to less than `stakeLow` of a chain's stake, and most of the fleet is not",
    expr: ({ set, unlessShared }) => unlessShared(`${connected} < ${set.stakeLow}`, connected, ['chain']),
    for: '10m',
    summary: `${theNode} is connected to {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}.`,
    description: `${theNode} is connected to {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}. Below the node's own threshold it calls the chain unhealthy and may not follow it.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeConnectedStakeFalling',
    severity: 'warning',
    when: 'by the slope of `stakeTrendWindow`, the connected stake of a chain will be below `stakeThreshold` within `stakeAhead`',
    expr: ({ set, unlessShared }) =>
      unlessShared(
        `${connected} >= ${set.stakeLow} and predict_linear(${connected}[${set.stakeTrendWindow}], ${set.stakeAhead}) < ${set.stakeThreshold}`,
        connected,
        ['chain'],
      ),
    for: '10m',
    summary: `${theNode} is losing the validators of chain {{ $labels.chain }}.`,
    description: `${theNode} is connected to {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}, and losing it so fast that the chain will be unhealthy soon.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugePeersLow',
    severity: 'warning',
    when: 'the node has fewer than `peersLow` peers; or fewer than `peersDropRatio` of its median in `peersWindow`, and most of the fleet has not',
    expr: ({ set, of, unlessShared }) => {
      const peers = of('snowgauge_network_connected_peers');
      const dropped = `${peers} < ${set.peersDropRatio} * quantile_over_time(0.5, ${peers}[${set.peersWindow}])`;
      return `${peers} < ${set.peersLow}
or
(
${unlessShared(dropped, peers, [])}
)`;
    },
    for: '15m',
    summary: `${theNode} has only {{ $value }} peers.`,
    description: `${theNode} is connected to {{ $value }} peers: too few, or far fewer than usual.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeNoMessages',
    severity: 'critical',
    when: 'at the last run of check network, no message had come in for `silenceAge`',
    // Both instants are in the node's clock: no skew, and no age of the report, comes in between.
    expr: ({ set, of }) => `(
  ${of('snowgauge_check_last_run_timestamp_seconds', 'check="network"')}
    - ignoring (check)
  ${of('snowgauge_network_last_message_received_timestamp_seconds')}
) > ${set.silenceAge}`,
    for: '5m',
    summary: `${theNode} has received no inbound messages for {{ $value | humanizeDuration }}.`,
    description: `${theNode} has received no message for {{ $value | humanizeDuration }}. Peers ping each other even while no chain does anything: the node is cut off.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUpgradeDeadlineNear',
    severity: 'critical',
    when: 'check futureupgrade fails, and the upgrade that it names is less than `upgradeSoon` away or past',
    expr: ({ set, of }) => `${of('snowgauge_upgrade_timestamp_seconds')} - time() < ${set.upgradeSoon}
and ignoring (check)
${of('snowgauge_check_healthy', 'check="futureupgrade"')} == 0`,
    for: '15m',
    summary: `${theNode} must be updated within {{ $value | humanizeDuration }}.`,
    description: `Most of the stake expects a network upgrade in {{ $value | humanizeDuration }}, which ${theNode} does not know. After it the node falls out of consensus.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeDiskFullPredicted',
    severity: 'warning',
    when: 'by the slope of `diskTrendWindow`, the disk will be full within `diskTimeLeft`, and the node has not bootstrapped in that window',
    expr: ({ set, of }) => `snowgauge:disk_full_in_seconds < ${set.diskTimeLeft}
unless
max_over_time(${of('snowgauge_bootstrapping_subnets')}[${set.diskTrendWindow}]) > 0`,
    for: '1h',
    summary: `The disk of ${theNode} will be full in {{ $value | humanizeDuration }}.`,
    description: `At the present rate the disk of ${theNode} will be too full in {{ $value | humanizeDuration }}: below the minimum that it requires, the node shuts itself down.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeDiskLow',
    severity: 'critical',
    when: 'less than `diskLow` of the disk is free; or less than `diskLowBytes`, where the node does not say the part',
    expr: ({ set, of }) => `${of('snowgauge_disk_available_ratio')} < ${set.diskLow}
or
(
  ${of('snowgauge_disk_available_bytes')} < ${set.diskLowBytes}
  unless
  ${of('snowgauge_disk_available_ratio')}
)`,
    for: '5m',
    summary: `The disk of ${theNode} is nearly full.`,
    description: `{{ if lt $value 1.0 }}{{ $value | humanizePercentage }}{{ else }}{{ $value | humanize1024 }}B{{ end }} of the disk of ${theNode} is free. Below the minimum that it requires, the node shuts itself down.`,
    dashboard: dashboards.node,
  },
];
