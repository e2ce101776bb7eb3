// The node's dashboard, second half: its network, its chains, its disk.

import type { Panel, Section } from './board.ts';
import { diskFree, diskTime, peers, plain, silence, stake } from './looks.ts';
import { ofTarget as of, ofChain, ofResources, who } from './scope.ts';

/** A graph, three in a row. */
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

/** What an operator looks at first: peers, stake, disk, heights. */
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
    description: 'The lowest fraction among its chains. Below 80 % the node calls the chain unhealthy.',
    unit: 'percentunit',
    steps: stake,
    queries: [{ expr: `min without (chain) (${of('snowgauge:chain_connected_ratio')})` }],
  }),
  number({
    title: 'Disk available',
    description: 'Below 3 % the node shuts itself down. No value: the node reports bytes alone.',
    unit: 'percentunit',
    steps: diskFree,
    queries: [{ expr: of('snowgauge_disk_available_ratio') }],
  }),
  number({
    title: 'Disk available, bytes',
    description: 'Free space of the disk of the database.',
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

/** Once for each chain. */
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
      description: 'Blocks a second. Zero is healthy on a chain that nobody uses.',
      unit: 'short',
      min: 0,
      queries: [
        { expr: `deriv(${ofChain('snowgauge_chain_last_accepted_height')}[$__rate_interval])`, legend: `{{chain}} ${who}` },
      ],
    }),
    lines({
      title: 'Oldest block in consensus',
      description: 'Above half a minute the chain is unhealthy. If all nodes see it, it is the network.',
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
      title: 'Silence',
      description: 'Time since the last message, as of the last run of the check. Peers ping each other even on idle chains.',
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
      title: 'Messages that could not be sent',
      description: 'As a fraction. It is written by the health check alone: it freezes with it.',
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
      description: 'Part of the disk of the database. Below 3 % the node shuts itself down.',
      unit: 'percentunit',
      min: 0,
      max: 1,
      steps: diskFree,
      queries: [{ expr: of('snowgauge_disk_available_ratio'), legend: who }],
    }),
    lines({
      title: 'Free disk, bytes',
      description: 'Of the disk of the database. Nodes that report no fraction have this alone.',
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
          expr: `${of('snowgauge_upgrade_timestamp_seconds')} - time()`,
        },
      ],
    },
    lines({
      title: 'Requests to peers that wait',
      description: 'How many, and for how long the oldest of them has waited.',
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
      title: 'Memory of the containers',
      description: 'Working set: what the kernel counts against the limit.',
      unit: 'bytes',
      min: 0,
      queries: [{ expr: ofResources('container_memory_working_set_bytes', ofNode), legend: '{{container}} {{pod}}' }],
    }),
    lines({
      title: 'CPU of the containers',
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
      title: 'Restarts of the containers',
      description: 'As the kubelet counts them.',
      unit: 'short',
      min: 0,
      queries: [{ expr: ofResources('kube_pod_container_status_restarts_total'), legend: '{{container}} {{pod}}' }],
    }),
  ],
};
