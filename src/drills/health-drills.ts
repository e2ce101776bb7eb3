// Drills on the node, its API and its checks.

import type { Drill } from './drill.ts';
import { looksBack } from './pace.ts';
import { isDown, isUnready } from './signs.ts';

const frozen = { intervals: 3, reason: 'frozen: no health check has run for three check intervals' };
const database = [{ fault: 'check-fails', check: 'database', error: 'closed' }] as const;

export const healthDrills: readonly Drill[] = [
  {
    name: 'node-refuses',
    fault: 'The node is down: its port refuses every connection.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'api-refuses' }] }],
    sign: isDown,
    alert: 'SnowgaugeTargetDown',
    look: 'Fleet, "Nodes, worst first": no response, on top. Its samples are stale and no longer exported.',
  },
  {
    name: 'node-silent',
    fault: 'The node accepts every request and responds to none.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'api-silent' }] }],
    sign: isDown,
    alert: 'SnowgaugeTargetDown',
    look: 'Exporter, "Failed requests": outcome timeout; for a node that is down it is refused.',
  },
  {
    name: 'worker-frozen',
    fault: 'The health worker stops. The API still responds, and reports healthy.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'time-freezes' }] }],
    sign: { family: 'snowgauge_health_frozen', is: (value) => value === 1, patience: frozen },
    alert: 'SnowgaugeHealthFrozen',
    look: 'Node, "Checks": FROZEN, and "Age of each check" rises steadily.',
  },
  {
    name: 'check-hangs',
    fault: 'The check of chain alpha-dex hangs, and all others wait for it.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'check-hangs', check: 'alpha-dex' }] }],
    sign: {
      family: 'snowgauge_health_frozen_suspect',
      labels: { check: 'alpha-dex' },
      is: (value) => value === 1,
      patience: frozen,
    },
    alert: 'SnowgaugeHealthFrozen',
    look: 'The alert names the suspect: alpha-dex.',
  },
  {
    name: 'subnet-unhealthy',
    fault: 'Validators of subnet beta with a third of its stake disconnect; readiness ignores that.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'stake-disconnects', chain: 'beta', percentConnected: 0.66 }] }],
    sign: { family: 'snowgauge_check_healthy', labels: { check: 'beta-game' }, is: (value) => value === 0 },
    alert: 'SnowgaugeUnhealthy',
    labels: { tag_set: 'beta', scope: 'tag_set' },
    alongside: ['SnowgaugeConnectedStakeLow'],
    notified: ['chat: SnowgaugeConnectedStakeLow', 'chat: SnowgaugeUnhealthy'],
    look: 'Subnet, tag set beta: stake-disconnected on this node. Tag set alpha stays healthy.',
  },
  {
    name: 'check-failing',
    fault: 'Validators with a third of the stake of the P-Chain disconnect for good.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'stake-disconnects', chain: 'P', percentConnected: 0.66 }] }],
    sign: { family: 'snowgauge_check_healthy', labels: { check: 'P' }, is: (value) => value === 0 },
    alert: 'SnowgaugeCheckFailing',
    labels: { tag_set: 'primary' },
    set: { checkFailingAge: '4' },
    waits: looksBack(4),
    alongside: ['SnowgaugeUnhealthy', 'SnowgaugeConnectedStakeLow'],
    notified: ['chat: SnowgaugeConnectedStakeLow', 'pager: SnowgaugeCheckFailing'],
    look: 'Node, "Failing checks and reasons": P, and for how long.',
  },
  {
    name: 'database-closed',
    fault: 'The database is closed: all five tag sets are not ready.',
    injections: [{ after: 0, kind: 'node', faults: database }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    labels: { scope: 'node' },
    look: 'One alert for the node, regardless of the number of tag sets; its text names the database and all tag sets.',
  },
  {
    name: 'check-flaps',
    fault: 'Check router is flapping, too fast for any other alert.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'check-flaps', check: 'router', period: 2, error: 'drill' }] }],
    sign: {
      family: 'snowgauge_check_transitions_total',
      labels: { check: 'router', to: 'failing' },
      is: (value) => value >= 2,
      patience: { intervals: 5, reason: 'the second failure follows four seconds after the first' },
    },
    alert: 'SnowgaugeCheckFlapping',
    labels: { check: 'router' },
    // Two failures must be counted. For a new counter, increase() may extrapolate one failure to slightly more than 1.
    set: { flaps: '1.5', flapWindow: '1m' },
    look: 'Node, "Checks": the row of the router alternates, with an annotation for each change.',
  },
  {
    name: 'readiness-lost',
    fault: 'The VM of subnet alpha crashes: its validators should receive no traffic.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'chain-dead', chain: 'alpha' }] }],
    sign: isUnready,
    alert: 'SnowgaugeReadinessLost',
    labels: { tag_set: 'alpha', scope: 'tag_set' },
    look: 'Subnet, "Readiness" and "Health": readiness follows one run later.',
  },
  {
    name: 'bootstrapping-stuck',
    fault: 'Subnet alpha bootstraps without progress.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'subnet-bootstraps', subnet: 'alpha' }] }],
    sign: { family: 'snowgauge_bootstrapping_subnets', is: (value) => value > 0 },
    alert: 'SnowgaugeBootstrappingWithoutProgress',
    // Lost readiness is another alert. With the shortest window, the node counts as one that was never ready.
    set: { bootstrapWindow: '8s', readySeenWithin: '1ms' },
    waits: looksBack(8),
    indexes: [],
    look: 'Node, "Bootstrapping": 1, and chain alpha-dex has no height.',
  },
  {
    name: 'tag-misspelt',
    fault: 'A tag set is added to the configuration, with a letter missing in its subnet ID.',
    injections: [{ after: 0, kind: 'tag-is-misspelt' }],
    sign: {
      family: 'snowgauge_tag_known',
      labels: { tag_set: 'misspelt' },
      is: (value) => value === 0,
      patience: { intervals: 3, reason: 'the file must be reloaded, and the exporter must see which checks the tag selects' },
    },
    alert: 'SnowgaugeUnknownTag',
    labels: { tag_set: 'misspelt' },
    look: 'Subnet, tag set misspelt: healthy, and "Tags known": no.',
  },
  {
    name: 'fleet-failing',
    fault: 'All three nodes lose a third of the stake of the C-Chain at once.',
    nodes: 3,
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'stake-disconnects', chain: 'C', percentConnected: 0.66 }] }],
    sign: {
      family: 'snowgauge_check_failure_reason',
      labels: { target: 'node-3', check: 'C', reason: 'stake-disconnected' },
      is: (value) => value === 1,
    },
    alert: 'SnowgaugeFleetFailing',
    labels: { scope: 'network' },
    look: 'Fleet, "Shared failures": 1. One alert for all nodes, which names both possible causes.',
  },
];
