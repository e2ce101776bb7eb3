// Drills in the worlds that alerts must hold in: pods that vanish and move, replicas, clusters, lost scrapes, one cause for many nodes.

import { podLabels } from './configuration.ts';
import type { Drill, DrillExporter } from './drill.ts';
import { pace } from './pace.ts';
import { isDown, isUnready } from './signs.ts';

const closed = [{ fault: 'check-fails', check: 'database', error: 'closed' }] as const;
const forgets = {
  seconds: 10,
  reason: 'Prometheus looks for targets every 5 s, and ends the series of one that is gone some scrapes later',
};

const sidecars: readonly DrillExporter[] = [0, 1].map((nth) => ({
  labels: { ...podLabels, pod: `validator-${nth}` },
  nodes: [nth],
}));
const clusters: readonly DrillExporter[] = ['a', 'b'].map((cluster, nth) => ({
  labels: { ...podLabels, cluster },
  nodes: [nth],
}));
const replicas = (...nodes: readonly number[]): readonly DrillExporter[] =>
  nodes.map((node, nth) => ({ labels: { ...podLabels, pod: `snowgauge-${nth}` }, nodes: [node] }));
/** All nodes of a drill are on loopback: nothing else tells an exporter of other hosts. */
const remote = { sidecarUrls: 'none' } as const;

export const fleetDrills: readonly Drill[] = [
  {
    name: 'switch-down',
    breaks: 'Five nodes are gone at once, with the switch before them.',
    nodes: 5,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'api-refuses' }] }],
    sign: isDown,
    alert: 'SnowgaugeTargetDown',
    notified: ['pager: SnowgaugeTargetDown ×5'],
    look: 'One page, which lists five nodes.',
  },
  {
    name: 'pod-vanishes',
    breaks: 'One of two pods is gone, with its node and its sidecar.',
    nodes: 2,
    exporters: sidecars,
    injections: [{ after: 0, kind: 'pod-vanishes' }],
    alert: 'SnowgaugeTargetMissing',
    labels: { pod: 'validator-0' },
    waits: forgets,
    look: 'Fleet, "Nodes": one node less than before.',
  },
  {
    name: 'targets-too-few',
    breaks: 'The same, and two targets are expected, long after the other alert has ended.',
    nodes: 2,
    exporters: sidecars,
    injections: [{ after: 0, kind: 'pod-vanishes' }],
    alert: 'SnowgaugeTargetsTooFew',
    set: { expectedTargets: '2', targetSeenWithin: '2s' },
    waits: forgets,
    look: 'Fleet, "Nodes": one node less than expected.',
  },
  {
    name: 'pod-moves',
    breaks: 'A pod is back with another address and another exporter, and its node is never ready again.',
    injections: [
      { after: 0, kind: 'pod-moves' },
      { after: 1, kind: 'node', faults: closed },
    ],
    sign: {
      ...isUnready,
      patience: { intervals: 4, reason: 'the exporter must start, and readiness fail at the second failed run' },
    },
    alert: 'SnowgaugeReadinessLost',
    look: 'The pod is the same, and its alert too: no label is the address.',
  },
  {
    name: 'two-replicas',
    breaks: 'The database is closed under a node that two replicas of the exporter watch.',
    exporters: replicas(0, 0),
    injections: [{ after: 0, kind: 'node', faults: closed }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    set: remote,
    waits: { seconds: pace.interval, reason: 'the node is ready until the second replica has seen it too' },
    look: 'One page: no label is the replica.',
  },
  {
    name: 'replicas-disagree',
    breaks: 'Two replicas of the exporter see one node differently: to one of them its database is closed.',
    nodes: 2,
    twins: true,
    exporters: replicas(0, 1),
    injections: [{ after: 0, kind: 'node', faults: closed, of: 0 }],
    sign: isUnready,
    alert: 'SnowgaugeReplicasDisagree',
    alongside: ['SnowgaugeUnhealthy'],
    set: remote,
    notified: ['chat: SnowgaugeReplicasDisagree, SnowgaugeUnhealthy'],
    look: 'Exporter: two replicas, one target, two states.',
  },
  {
    name: 'two-clusters',
    breaks: 'The database is closed in one of two clusters whose pods have the same names.',
    nodes: 2,
    exporters: clusters,
    injections: [{ after: 0, kind: 'node', faults: closed, of: 0 }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    labels: { cluster: 'a' },
    look: 'One page, which names the cluster.',
  },
  {
    name: 'lost-scrapes',
    breaks: 'One scrape in five is lost, and of 24 peers 3 are left.',
    loses: 5,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 3 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value < 4 },
    alert: 'SnowgaugePeersLow',
    look: 'Exporter, "Not scraped": a comb. The alert fires as it does without.',
  },
  {
    name: 'node-restarts',
    breaks: 'The node restarts, again and again.',
    injections: [0, 8].flatMap((after) => [
      { after, kind: 'node', faults: [{ fault: 'node-restarts' }] } as const,
      { after: after + 2, kind: 'node', faults: [] } as const,
    ]),
    sign: {
      family: 'snowgauge_node_restarts_total',
      is: (value) => value > 0,
      patience: { intervals: 3, reason: 'the node must be back' },
    },
    alert: 'SnowgaugeNodeRestarting',
    set: { restarts: '1', restartWindow: '1m' },
    waits: { seconds: 12, reason: 'the second restart comes eight seconds after the first' },
    alongside: ['SnowgaugeReadinessLost', 'SnowgaugeTargetDown'],
    look: 'Node, "Restarts".',
  },
];
