// Alerts on a node in its network (peers, stake, messages, upgrades), and on its disk.

import { type Alert, dashboards, symptoms, type Terms } from './rule.ts';
import { blocks, notReady, theNode } from './texts.ts';

const connected = 'snowgauge:chain_connected_ratio';

const silent = ({ set }: Terms): string => `snowgauge:no_messages_seconds > ${set.noMessagesAge}`;

const unlessShared = ({ set }: Terms): string => `unless on (${set.fleet}, chain)
label_replace(snowgauge:fleet_failure, "chain", "$1", "check", "(.+)")`;

const diskLow = ({ set }: Terms): string => `snowgauge:disk_available_ratio < ${set.diskLow}
or
(
  snowgauge:disk_available_bytes < ${set.diskLowBytes}
  unless
  snowgauge:disk_available_ratio
)`;

export const networkAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeConnectedStakeLow',
    severity: 'warning',
    scope: 'chain',
    when: "the node is connected to less than `stakeLow` of a chain's stake, but most of the fleet is not",
    expr: (terms) => `${connected} < ${terms.set.stakeLow}
${unlessShared(terms)}`,
    for: '10m',
    summary: `${theNode} is connected to only {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}.`,
    description: `${theNode} is connected to {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}. Below the node's own threshold the chain becomes unhealthy and may stop accepting blocks.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeConnectedStakeFalling',
    severity: 'warning',
    scope: 'chain',
    when: 'the connected stake of a chain is predicted to fall below `stakeThreshold` within `stakeAhead`, by its slope over `stakeTrendWindow`',
    expr: (terms) => {
      const { stakeTrendWindow, stakeLow, stakeAhead, stakeThreshold } = terms.set;
      return `min_over_time(${connected}[${stakeTrendWindow}]) >= ${stakeLow}
and
predict_linear(${connected}[${stakeTrendWindow}], ${stakeAhead}) < ${stakeThreshold}
${unlessShared(terms)}`;
    },
    for: '10m',
    summary: `${theNode} is losing connected stake of chain {{ $labels.chain }}, now {{ $value | humanizePercentage }}.`,
    description: `${theNode} is connected to {{ $value | humanizePercentage }} of the stake of chain {{ $labels.chain }}. At the current rate the chain will soon be unhealthy.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeChainBehind',
    severity: 'warning',
    scope: 'chain',
    when: 'the chain is behind the height that another of your nodes had `chainBehind` ago',
    // Measured in time, not in blocks: scrapes are minutes apart, and chains have blocks every second or every hour.
    expr: ({ set }) => `(
  snowgauge:chain_behind_blocks
  and
  snowgauge:comparable_height
    < on (chain, network) group_left ()
  max by (chain, network) (snowgauge:comparable_height offset ${set.chainBehind})
)
unless on (${set.identity})
snowgauge:bootstrapping_subnets > 0`,
    for: '10m',
    summary: `${theNode} is ${blocks} behind on chain {{ $labels.chain }}.`,
    description: `Chain {{ $labels.chain }} of ${theNode} is ${blocks} and more than <chainBehind> behind the highest of your nodes: it accepts blocks too slowly, or none.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugePeersLow',
    severity: 'warning',
    scope: 'node',
    when: 'the node has fewer than `peersLow` peers, or fewer than `peersDropRatio` of its median over `peersWindow`, but most of the fleet has lost no peers, and it is not cut off',
    expr: (terms) => `(
  snowgauge:peers < ${terms.set.peersLow}
  or
  snowgauge:peers < ${terms.set.peersDropRatio} * snowgauge:peers_baseline
)
unless on (${terms.set.fleet})
snowgauge:fleet_failure{check="network"}
unless
${silent(terms)}`,
    for: '15m',
    summary: `${theNode} has only {{ $value }} peers.`,
    description: `${theNode} is connected to {{ $value }} peers: below the minimum, or far below its own median.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeNoMessages',
    severity: 'critical',
    scope: 'node',
    when: 'the node has received no messages for `noMessagesAge`, as of the last run of check network, but most of the fleet has',
    expr: (terms) => `${silent(terms)}
unless on (${terms.set.fleet})
snowgauge:fleet_failure{check="network"}`,
    for: '5m',
    summary: `${theNode} has received no messages for {{ $value | humanizeDuration }}.`,
    description: `${theNode} has received no messages for {{ $value | humanizeDuration }}. Peers ping each other even when chains are idle: the node is cut off from the network.${notReady}`,
    explains: symptoms,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeUpgradeDeadlineNear',
    severity: 'critical',
    scope: 'node',
    when: 'check futureupgrade fails, and its upgrade is less than `upgradeSoon` away or past',
    expr: ({ set }) => `snowgauge:upgrade_timestamp - time() < ${set.upgradeSoon}
and on (${set.identity})
snowgauge:check_healthy{check="futureupgrade"} == 0`,
    for: '15m',
    summary: `${theNode} must be upgraded {{ if gt $value 0.0 }}within {{ $value | humanizeDuration }}{{ else }}now{{ end }}.`,
    description: `{{ if gt $value 0.0 }}Most of the stake expects a network upgrade in {{ $value | humanizeDuration }}, but ${theNode} does not support it. After the upgrade the node falls out of consensus.{{ else }}A network upgrade that most of the stake expected is past, but ${theNode} does not support it: it falls out of consensus.{{ end }}${notReady}`,
    lasting: true,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeDiskFullPredicted',
    severity: 'warning',
    scope: 'node',
    when: 'the disk is predicted to be full within `diskTimeLeft`, by its slope over `diskTrendWindow`, the node was not bootstrapping in that window, and the disk is not low yet',
    expr: (terms) => `snowgauge:disk_full_in_seconds < ${terms.set.diskTimeLeft}
unless
max_over_time(snowgauge:bootstrapping_subnets[${terms.set.diskTrendWindow}]) > 0
unless
(
${diskLow(terms)}
)`,
    for: '1h',
    summary: `Disk of ${theNode} will be full in {{ $value | humanizeDuration }}.`,
    description: `At the current rate the disk of ${theNode} will be full in {{ $value | humanizeDuration }}. The node shuts down when free space falls below its minimum.`,
    lasting: true,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeDiskLow',
    severity: 'critical',
    scope: 'node',
    when: 'less than `diskLow` of the disk is free, or less than `diskLowBytes` if the node does not report the ratio',
    expr: diskLow,
    for: '5m',
    summary: `Disk of ${theNode} has only {{ if lt $value 1.0 }}{{ $value | humanizePercentage }}{{ else }}{{ $value | humanize1024 }}B{{ end }} free.`,
    description: `{{ if lt $value 1.0 }}{{ $value | humanizePercentage }}{{ else }}{{ $value | humanize1024 }}B{{ end }} of the disk of ${theNode} is free. The node shuts down when free space falls below its minimum.${notReady}`,
    lasting: true,
    dashboard: dashboards.node,
  },
];
