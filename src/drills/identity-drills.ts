// Drills on the identity of a target's node, and on its version.

import { sidecars } from './configuration.ts';
import type { Drill } from './drill.ts';

const replaced: Drill['injections'] = [{ after: 0, kind: 'node', faults: [{ fault: 'key-replaced' }] }];
const changed: Drill['sign'] = { family: 'snowgauge_node_id_changes_total', is: (value) => value > 0 };
const newer = [
  { fault: 'upgrade-scheduled', in: 3 * 86_400 },
  { fault: 'peers-upgrade', version: 'avalanchego/99.0.0', share: 0.8 },
] as const;

/** Longest first: drills that run in parallel then finish sooner. */
export const identityDrills: readonly Drill[] = [
  {
    name: 'key-on-two-machines',
    fault: 'The second of two nodes is started with the staking key of the first.',
    nodes: 2,
    exporters: sidecars,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'key-replaced', seed: 1 }], of: 1 }],
    alert: 'SnowgaugeNodeIdDuplicate',
    labels: { scope: 'network' },
    waits: { seconds: 262, reason: 'processes are compared by one health check run per 256 s' },
    alongside: ['SnowgaugeNodeIdChanged'],
    notified: ['chat: SnowgaugeNodeIdChanged', 'pager: SnowgaugeNodeIdDuplicate'],
    look: 'One page, which names both targets. Both nodes are healthy.',
  },
  {
    name: 'key-lost',
    fault: 'The staking key of the node is replaced, and the configuration expects another NodeID.',
    expectsNodeIds: true,
    injections: replaced,
    sign: { family: 'snowgauge_target_node_id_expected', is: (value) => value === 0 },
    alert: 'SnowgaugeNodeIdUnexpected',
    look: 'The status page: the NodeID is unexpected. The node is healthy.',
  },
  {
    name: 'key-replaced',
    fault: 'The staking key of the node is replaced, and the configuration expects no NodeID.',
    injections: replaced,
    sign: changed,
    alert: 'SnowgaugeNodeIdChanged',
    look: 'The status page, last changes: the old and the new NodeID.',
  },
  {
    name: 'version-behind',
    fault: 'The node restarts, four fifths of its peers run a newer version, and an upgrade is due in three days.',
    injections: [
      { after: 0, kind: 'node', faults: [{ fault: 'node-restarts' }, ...newer] },
      { after: 1, kind: 'node', faults: newer },
    ],
    sign: {
      family: 'snowgauge_peers_newer_version',
      is: (value) => value > 0,
      patience: { intervals: 5, reason: 'the node must respond again, and its peers are polled after that' },
    },
    alert: 'SnowgaugeVersionBehind',
    set: { readinessLostFor: '1m' },
    look: 'The status page: the version, and the number of peers with a newer one.',
  },
];
