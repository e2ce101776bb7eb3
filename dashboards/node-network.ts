// The second half of the node dashboard: network, chains, disk.

import type { Panel, Section } from './board.ts';
import { diskFree, diskTime, peers, plain, silence, stake } from './looks.ts';
import { ofTarget as of, ofChain, ofResources, who } from './scope.ts';

/** A graph; three per row. */
export const lines = (panel: Omit<Extract<Panel, { view: 'lines' }>, 'view' | 'width' | 'height'>): Panel => ({
  view: 'lines',
  width: 8,
  height: 8,
  ...panel,
});

const number = (panel: Omit<Extract<Panel, { view: 'number' }>, 'view' | 'width' | 'height'>): Panel => ({
  view: 'number',
  width: 4,
  height: 4,
  ...panel,
});

/** The most important values: peers, stake, disk, heights. */
export const vitals: readonly Panel[] = [
  number({
    title: 'Connected peers',
    description: 'Peers that the node is connected to.',
    unit: 'short',
    steps: peers,
    queries: [{ expr: of('snowgauge_network_connected_peers') }],
  }),
  number({
    title: 'Lowest connected stake',
    description: 'The lowest fraction among its chains. Below 80 % the node reports the chain unhealthy.',
    unit: 'percentunit',
    steps: stake,
    queries: [{ expr: `min without (chain) (${of('snowgauge:chain_connected_ratio')})` }],
  }),
  number({
    title: 'Disk available',
    description: 'Below 3 % the node shuts itself down. No value: the node reports only bytes.',
    unit: 'percentunit',
    steps: diskFree,
    queries: [{ expr: of('snowgauge_disk_available_ratio') }],
  }),
  number({
    title: 'Disk available, bytes',
    description: 'Free space on the disk of the database.',
    unit: 'bytes',
    steps: plain,
    queries: [{ expr: of('snowgauge_disk_available_bytes') }],
  }),
  number({
    title: 'Disk full in',
    description: 'Time left at the rate of the last six hours. No value: free space is not shrinking.',
    unit: 's',
    steps: diskTime,
    queries: [{ expr: of('snowgauge:disk_full_in_seconds') }],
  }),
  number({
    title: 'Heights',
    description: 'Last accepted block of each chain.',
    unit: 'none',
    steps: plain,
    queries: [{ expr: of('snowgauge_chain_last_accepted_height'), legend: '{{chain}}' }],
  }),
];

/** Repeated for each chain. */
export const chain: Section = {
  title: 'Chain $chain',
  repeat: 'chain',
  panels: [
    lines({
      title: 'Connected stake',
      description: 'Fraction of the stake of the chain that the node is connected to. Below 80 % the chain is unhealthy.',
      unit: 'percentunit',
      max: 1,
      steps: stake,
      queries: [{ expr: ofChain('snowgauge:chain_connected_ratio'), legend: `{{chain}} ${who}` }],
    }),
    lines({
      title: 'Accepted blocks',
      description: 'Blocks per second. Zero is normal for an idle chain.',
      unit: 'short',
      min: 0,
      queries: [
        { expr: `deriv(${ofChain('snowgauge_chain_last_accepted_height')}[$__rate_interval])`, legend: `{{chain}} ${who}` },
      ],
    }),
    lines({
      title: 'Oldest block in consensus',
      description: 'Above 30 s the chain is unhealthy. If this happens on all nodes, the cause is the network.',
      unit: 's',
      min: 0,
      queries: [{ expr: ofChain('snowgauge_chain_longest_processing_block_seconds'), legend: `{{chain}} ${who}` }],
    }),
  ],
};

export const network: Section = {
  title: 'Network',
  panels: [
    lines({
      title: 'Peers',
      description: 'Peers that the node is connected to.',
      unit: 'short',
      min: 0,
      steps: peers,
      queries: [{ expr: of('snowgauge_network_connected_peers'), legend: who }],
    }),
    lines({
      title: 'Time since last message',
      description:
        'Time without inbound messages, as of the last run of the check. Peers ping each other even if chains are idle.',
      unit: 's',
      min: 0,
      steps: silence,
      queries: [
        {
          expr: `${of('snowgauge_check_last_run_timestamp_seconds', 'check="network"')}
- ignoring (check)
${of('snowgauge_network_last_message_received_timestamp_seconds')}`,
          legend: `received ${who}`,
        },
        {
          expr: `${of('snowgauge_check_last_run_timestamp_seconds', 'check="network"')}
- ignoring (check)
${of('snowgauge_network_last_message_sent_timestamp_seconds')}`,
          legend: `sent ${who}`,
        },
      ],
    }),
    lines({
      title: 'Send failures',
      description:
        'Fraction of messages that could not be sent. Only the health check updates it: if the checks freeze, it does not change.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: of('snowgauge_network_send_fail_ratio'), legend: who }],
    }),
  ],
};

export const machine: Section = {
  title: 'Disk, requests, upgrade',
  panels: [
    lines({
      title: 'Free disk',
      description: 'Free fraction of the disk of the database. Below 3 % the node shuts itself down.',
      unit: 'percentunit',
      min: 0,
      max: 1,
      steps: diskFree,
      queries: [{ expr: of('snowgauge_disk_available_ratio'), legend: who }],
    }),
    lines({
      title: 'Free disk, bytes',
      description: 'Free bytes on the disk of the database. Some nodes report only this, not the fraction.',
      unit: 'bytes',
      min: 0,
      queries: [{ expr: of('snowgauge_disk_available_bytes'), legend: who }],
    }),
    {
      title: 'Upgrade in',
      description: 'Time until the upgrade that most of the stake expects. No value: none is expected.',
      view: 'number',
      width: 8,
      height: 8,
      unit: 's',
      steps: plain,
      queries: [
        {
          // The latest upgrade that the stake knows is usually past.
          expr: `${of('snowgauge_upgrade_timestamp_seconds')} - time() > 0`,
        },
      ],
    },
    lines({
      title: 'Pending requests to peers',
      description: 'Number of pending requests, and the age of the oldest.',
      unit: 'short',
      min: 0,
      queries: [
        { expr: of('snowgauge_router_outstanding_requests'), legend: `requests ${who}` },
        {
          expr: of('snowgauge_router_longest_running_request_seconds'),
          legend: `oldest, s ${who}`,
        },
      ],
    }),
  ],
};

const ofNode = `container!="", container!="POD"`;

/** Empty without cAdvisor and kube-state-metrics. */
export const resources: Section = {
  title: 'Pod (cAdvisor, kube-state-metrics)',
  panels: [
    lines({
      title: 'Container memory',
      description: 'Working set, which counts against the memory limit.',
      unit: 'bytes',
      min: 0,
      queries: [{ expr: ofResources('container_memory_working_set_bytes', ofNode), legend: '{{container}} {{pod}}' }],
    }),
    lines({
      title: 'Container CPU',
      description: 'Cores in use.',
      unit: 'short',
      min: 0,
      queries: [
        {
          expr: `rate(${ofResources('container_cpu_usage_seconds_total', ofNode)}[$__rate_interval])`,
          legend: '{{container}} {{pod}}',
        },
      ],
    }),
    lines({
      title: 'Container restarts',
      description: 'As counted by the kubelet.',
      unit: 'short',
      min: 0,
      queries: [{ expr: ofResources('kube_pod_container_status_restarts_total'), legend: '{{container}} {{pod}}' }],
    }),
  ],
};
