// The node's dashboard, second half: its network, its chains, its disk.

import type { Panel, Section } from './board.ts';
import { diskFree, peers, plain, silence, stake } from './looks.ts';
import { ofTarget as of } from './scope.ts';

const who = '{{pod}} {{target}}';
/** A graph, three in a row. */
export const lines = (panel: Omit<Extract<Panel, { view: 'lines' }>, 'view' | 'width' | 'height'>): Panel => ({
  view: 'lines',
  width: 8,
  height: 8,
  ...panel,
});

export const network: Section = {
  title: 'Network and chains',
  panels: [
    lines({
      title: 'Connected stake',
      description: 'Share of the stake of each chain that the node is connected to. Below 80 % the chain is unhealthy.',
      unit: 'percentunit',
      max: 1,
      steps: stake,
      queries: [{ expr: of('snowgauge:chain_connected_ratio'), legend: '{{chain}} {{pod}}' }],
    }),
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
      title: 'Accepted blocks',
      description: 'Blocks a second, of each chain. Zero is healthy on a chain that nobody uses.',
      unit: 'short',
      min: 0,
      queries: [
        {
          expr: `deriv(${of('snowgauge_chain_last_accepted_height')}[$__rate_interval])`,
          legend: '{{chain}} {{pod}}',
        },
      ],
    }),
    lines({
      title: 'Oldest block in consensus',
      description: 'Above half a minute the chain is unhealthy. If all nodes see it, it is the network.',
      unit: 's',
      min: 0,
      queries: [
        {
          expr: of('snowgauge_chain_longest_processing_block_seconds'),
          legend: '{{chain}} {{pod}}',
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
    {
      title: 'Disk full in',
      description: 'Time left by the slope of the last six hours. No value: it is not filling.',
      view: 'number',
      width: 4,
      height: 8,
      unit: 's',
      steps: [
        [null, 'red'],
        [345_600, 'green'],
      ],
      queries: [{ expr: of('snowgauge:disk_full_in_seconds') }],
    },
    {
      title: 'Upgrade in',
      description: 'Time until the upgrade that most of the stake expects. No value: none is expected.',
      view: 'number',
      width: 4,
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
