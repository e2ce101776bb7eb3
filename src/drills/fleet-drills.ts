// Drills on fleets: pods that are deleted or moved, replicas, clusters, lost scrapes, and one cause that affects many nodes.

import { podLabels, sidecars } from './configuration.ts';
import type { Drill, DrillExporter } from './drill.ts';
import { forgets, pace } from './pace.ts';
import { isDown, isUnready } from './signs.ts';

const closed = [{ fault: 'check-fails', check: 'database', error: 'closed' }] as const;

const clusters: readonly DrillExporter[] = ['a', 'b'].map((cluster, nth) => ({
  labels: { ...podLabels, cluster },
  nodes: [nth],
}));
const replicas = (...nodes: readonly number[]): readonly DrillExporter[] =>
  nodes.map((node, nth) => ({ labels: { ...podLabels, pod: `snowgauge-${nth}` }, nodes: [node] }));
/** All nodes of a drill are on loopback, so only this setting makes an exporter one that watches other hosts. */
const remote = { sidecarUrls: 'none' } as const;

export const fleetDrills: readonly Drill[] = [
  {
    name: 'switch-down',
    fault: 'A switch fails: five nodes are unreachable at once.',
    nodes: 5,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'api-refuses' }] }],
    sign: isDown,
    alert: 'SnowgaugeTargetDown',
    notified: ['pager: SnowgaugeTargetDown ×5'],
    look: 'One notification, which lists five nodes.',
  },
  {
    name: 'pod-vanishes',
    fault: 'One of two pods disappears, with its node and its sidecar.',
    nodes: 2,
    exporters: sidecars,
    injections: [{ after: 0, kind: 'pod-vanishes' }],
    alert: 'SnowgaugeTargetMissing',
    labels: { pod: 'validator-0' },
    waits: forgets,
    look: 'Fleet, "Nodes": one fewer than before.',
  },
  {
    name: 'targets-too-few',
    fault: 'One of two pods disappeared long ago, but two targets are expected.',
    nodes: 2,
    exporters: sidecars,
    injections: [{ after: 0, kind: 'pod-vanishes' }],
    alert: 'SnowgaugeTargetsTooFew',
    set: { expectedTargets: '2', targetSeenWithin: '2s' },
    waits: forgets,
    look: 'Fleet, "Nodes": one fewer than expected.',
  },
  {
    name: 'pod-moves',
    fault: 'A pod returns with another address and another exporter, and its node does not become ready again.',
    injections: [
      { after: 0, kind: 'pod-moves' },
      { after: 1, kind: 'node', faults: closed },
    ],
    sign: {
      ...isUnready,
      patience: { intervals: 4, reason: 'the exporter must start, and readiness fails at the second failed run' },
    },
    alert: 'SnowgaugeReadinessLost',
    look: 'The alert has the same labels: none of them is the address.',
  },
  {
    name: 'two-replicas',
    fault: 'The database of a node is closed; two replicas of the exporter watch the node.',
    exporters: replicas(0, 0),
    injections: [{ after: 0, kind: 'node', faults: closed }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    set: remote,
    waits: { seconds: pace.interval, reason: 'the node counts as ready until both replicas have observed the failure' },
    look: 'One notification: no label names the replica.',
  },
  {
    name: 'replicas-disagree',
    fault: 'Two replicas of the exporter see one node differently: one of them sees its database closed.',
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
    fault: 'The database is closed in one of two clusters whose pods have the same names.',
    nodes: 2,
    exporters: clusters,
    injections: [{ after: 0, kind: 'node', faults: closed, of: 0 }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    labels: { cluster: 'a' },
    look: 'One notification, which names the cluster.',
  },
  {
    name: 'lost-scrapes',
    fault: 'One scrape in five fails, and only 3 of 24 peers are left.',
    loses: 5,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'peers-leave', peers: 3 }] }],
    sign: { family: 'snowgauge_network_connected_peers', is: (value) => value < 4 },
    alert: 'SnowgaugePeersLow',
    look: 'Exporter, "Not scraped": alternates. The alert fires as without failed scrapes.',
  },
  {
    name: 'node-restarts',
    fault: 'The node restarts repeatedly.',
    injections: [0, 8].flatMap((after) => [
      { after, kind: 'node', faults: [{ fault: 'node-restarts' }] } as const,
      { after: after + 2, kind: 'node', faults: [] } as const,
    ]),
    sign: {
      family: 'snowgauge_node_restarts_total',
      is: (value) => value > 0,
      patience: { intervals: 3, reason: 'the node must respond again' },
    },
    alert: 'SnowgaugeNodeRestarting',
    set: { restarts: '1', restartWindow: '1m' },
    waits: { seconds: 12, reason: 'the second restart follows eight seconds after the first' },
    alongside: ['SnowgaugeReadinessLost', 'SnowgaugeTargetDown'],
    look: 'Node, "Restarts".',
  },
];
