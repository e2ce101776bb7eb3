// The situations of the truth table, and what metrics, probes and the event history say in each.

import type { Drill } from '../support/drill.ts';
import { until } from '../support/until.ts';
import { betaAndAll, down, every, everyTagSet, gone, is, lost, met, moving, ofReports, up, well } from './expected.ts';
import type { Situation } from './situation.ts';

const cadence = 30;
const { long, longer } = { long: 6 * cadence, longer: 30 * cadence };
const blocks = 'engine: block processing too long: 47s > 30s';
const closed = [{ fault: 'check-fails' as const, check: 'database', error: 'closed' }];

/** A recovery between two looks, again and again: the node's rounds are what nobody sees. */
const flapUnseen = async (drill: Drill, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await drill.setFaults([]);
    await drill.runNodeAlone(cadence);
    await drill.setFaults(closed);
    await drill.runNodeAlone(cadence);
    await drill.run(cadence);
  }
};

/** The disk is asked in the machine's time, not in the simulated one. */
const diskHasBeenAsked = async ({ node }: Drill): Promise<void> => {
  const asked = /"diskspace":\{[^{}]*(?:\{[^{}]*\})?[^{}]*"timestamp":"2/;
  const report = async (): Promise<string> => (await fetch(`${node.url}/ext/health`)).text();
  await until('the disk has been asked', async () => asked.test(await report()), { everyMs: 50 });
};

export const situations: readonly Situation[] = [
  {
    situation: 'The node is healthy',
    conditions: well,
    says: 'every check passes',
    seconds: long,
    samples: { ...moving, ...is('Ready', 'True', 'alpha'), 'check_transitions_total{check=network,to=failing}': 0 },
    evidence: [],
  },
  {
    situation: 'The node has just begun: its checks have not run yet',
    young: true,
    fromTheStart: true,
    seconds: 1,
    conditions: every('True', 'False', 'False', 'True'),
    says: 'not-yet-run',
    samples: {
      ...up,
      'readiness_healthy{}': 0,
      'check_failure_reason{check=bootstrapped,reason=not-yet-run}': 1,
      // Another check has run, a moment ago.
      'health_frozen{}': 0,
    },
    absent: ['check_last_run_timestamp_seconds{check=bootstrapped}'],
    evidence: ['bootstrapped found failing: not-yet-run', ...met('False', 'not-yet-run')],
  },
  {
    situation: 'The node hangs at its start: the port is open, and nothing answers',
    faults: [{ fault: 'api-silent' }],
    fromTheStart: true,
    seconds: longer,
    conditions: every('False', 'Unknown', 'False', 'Unknown'),
    says: 'no answer within',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: ['Started: Unknown → False', ...everyTagSet('Unknown', 'False')],
  },
  {
    situation: 'A check hangs, for 3 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: long,
    conditions: every('True', 'Unknown', 'Unknown', 'True'),
    says: 'alpha-dex',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1, 'health_frozen_suspect{check=alpha-dex}': 1 },
    evidence: ['frozen, perhaps for alpha-dex', ...everyTagSet('True', 'Unknown')],
  },
  {
    situation: 'A check hangs, for 15 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: longer,
    conditions: every('True', 'Unknown', 'Unknown', 'False'),
    says: 'health worker hangs',
    samples: { 'up{}': 1, 'health_frozen{}': 1, ...is('Started', 'True'), ...is('Live', 'False') },
    evidence: ['frozen, perhaps for alpha-dex', ...everyTagSet('True', 'Unknown'), 'Live: True → False'],
  },
  {
    situation: 'The clock of the health worker stands still, for 3 min',
    faults: [{ fault: 'time-freezes' }],
    seconds: long,
    conditions: every('True', 'Unknown', 'Unknown', 'True'),
    says: 'health worker hangs',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1 },
    evidence: [/^frozen, perhaps for/, ...everyTagSet('True', 'Unknown')],
  },
  {
    situation: 'The tag of a tag set is misspelt',
    wrongTag: true,
    fromTheStart: true,
    seconds: long,
    conditions: { ...well, alpha: 'Unknown' },
    says: 'every check passes',
    samples: { ...up, 'health_healthy{tag_set=alpha}': 1, 'tag_known{tag_set=alpha}': 0, 'tag_known{tag_set=beta}': 1 },
    evidence: met('True').filter((line) => !line.startsWith('Ready alpha')),
  },
  {
    situation: 'Subnet beta bootstraps for ever',
    faults: [{ fault: 'subnet-bootstraps', subnet: 'beta' }],
    seconds: long,
    conditions: { ...well, healthy: 'False', all: 'False', beta: 'False' },
    says: 'bootstrapping',
    samples: {
      ...up,
      'health_healthy{tag_set=alpha}': 0,
      'bootstrapping_subnets{}': 1,
      'check_failure_reason{check=bootstrapped,reason=bootstrapping}': 1,
      ...is('Ready', 'True', 'alpha'),
      ...is('Ready', 'False', 'beta'),
    },
    evidence: ['bootstrapped began to fail: bootstrapping', ...betaAndAll('bootstrapping')],
  },
  {
    situation: "The VM of subnet beta's chain is dead",
    faults: [{ fault: 'chain-dead', chain: 'beta-game' }],
    seconds: long,
    conditions: { ...well, healthy: 'False', all: 'False', beta: 'False' },
    says: 'vm-dead',
    samples: {
      ...up,
      'check_healthy{check=beta-game}': 0,
      'check_failure_reason{check=beta-game,reason=vm-dead}': 1,
      'health_healthy{tag_set=alpha}': 1,
    },
    evidence: ['beta-game began to fail: vm-dead', ...betaAndAll('vm-dead')],
  },
  {
    situation: 'A check fails in every other run',
    faults: [{ fault: 'check-flaps', check: 'router', period: cadence, error: 'the router is not healthy reason: drill' }],
    seconds: 2 * long,
    conditions: well,
    says: 'every check passes',
    samples: { ...up, 'check_transitions_total{check=router,to=failing}': 6 },
    evidence: ['router began to fail: router ×6', 'router passes again ×6'],
  },
  {
    situation: 'A check flaps faster than the node is polled',
    faults: closed,
    seconds: long,
    play: (drill) => flapUnseen(drill, 4),
    conditions: every('True', 'False', 'False', 'True'),
    says: 'database',
    samples: {
      ...up,
      'check_transitions_total{check=database,to=failing}': 5,
      'check_transitions_total{check=database,to=passing}': 4,
    },
    evidence: [
      'database began to fail: database ×5',
      ...everyTagSet('True', 'False', 'database'),
      'database recovered unseen ×4',
    ],
  },
  {
    situation: 'A check recovered, and nobody saw it',
    faults: closed,
    seconds: long,
    play: (drill) => flapUnseen(drill, 1),
    conditions: every('True', 'False', 'False', 'True'),
    says: 'database',
    samples: {
      ...up,
      'check_contiguous_failures{check=database}': 2,
      'check_transitions_total{check=database,to=passing}': 1,
    },
    evidence: ['database began to fail: database ×2', ...everyTagSet('True', 'False', 'database'), 'database recovered unseen'],
  },
  {
    situation: 'All peers are lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    seconds: long,
    conditions: every('True', 'False', 'False', 'True'),
    says: 'peers',
    samples: {
      ...up,
      'network_connected_peers{}': 0,
      'check_healthy{check=network}': 0,
      'check_failure_reason{check=network,reason=peers}': 1,
    },
    evidence: ['network began to fail: peers', ...everyTagSet('True', 'False', 'peers')],
  },
  {
    situation: "Too little stake is connected on beta's chain (ignored unless configured otherwise)",
    faults: [{ fault: 'stake-disconnects', chain: 'beta-game', percentConnected: 0.2 }],
    seconds: long,
    conditions: { ...well, healthy: 'False' },
    says: 'stake-disconnected',
    samples: {
      ...up,
      'health_healthy{tag_set=beta}': 0,
      ...is('Ready', 'True', 'beta'),
      'chain_connected_ratio{chain=beta-game}': 0.2,
      'check_failure_reason{check=beta-game,reason=stake-disconnected}': 1,
    },
    evidence: ['beta-game began to fail: stake-disconnected'],
  },
  {
    situation: 'Blocks are not processed in the whole network (ignored unless configured otherwise)',
    faults: ['P', 'X', 'C', 'alpha-dex', 'beta-game'].map((check) => ({ fault: 'check-fails' as const, check, error: blocks })),
    seconds: long,
    conditions: { ...well, healthy: 'False' },
    says: 'block-processing',
    samples: { ...up, 'health_healthy{tag_set=primary}': 0, ...is('Ready', 'True', 'primary') },
    evidence: ['C', 'P', 'X', 'alpha-dex', 'beta-game'].map((check) => `${check} began to fail: block-processing`),
  },
  {
    situation: 'The disk is below its warning threshold',
    faults: [{ fault: 'disk-fills', availablePercentage: 8 }],
    seconds: long,
    conditions: every('True', 'False', 'False', 'True'),
    says: 'disk',
    samples: {
      ...up,
      'check_healthy{check=diskspace}': 0,
      'disk_available_ratio{}': 0.08,
      'check_failure_reason{check=diskspace,reason=disk}': 1,
    },
    evidence: ['diskspace began to fail: disk', ...everyTagSet('True', 'False', 'disk')],
  },
  {
    situation: 'The node is shutting down',
    faults: [{ fault: 'node-shuts-down' }],
    seconds: long,
    conditions: every('True', 'False', 'False', 'True'),
    says: 'shutting-down',
    samples: { ...up, 'check_failure_reason{check=shuttingDown,reason=shutting-down}': 1 },
    evidence: ['shuttingDown found failing: shutting-down', ...everyTagSet('True', 'False', 'shutting-down')],
  },
  {
    situation: 'The node is down: connections are refused',
    faults: [{ fault: 'node-restarts' }],
    seconds: long,
    conditions: every('False', 'Unknown', 'Unknown', 'Unknown'),
    says: 'refused',
    samples: { ...down, ...is('Ready', 'Unknown', 'beta'), ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: gone,
  },
  {
    situation: 'The node was restarted, and has bootstrapped again',
    faults: [{ fault: 'node-restarts' }],
    seconds: 3 * cadence,
    play: async (drill) => {
      await drill.setFaults([]);
      await diskHasBeenAsked(drill);
      await drill.run(longer);
    },
    conditions: well,
    says: 'every check passes',
    samples: { ...moving, 'node_restarts_total{}': 1 },
    evidence: [
      ...gone,
      'node-restarted',
      'bootstrapped began to fail: not-yet-run',
      'C is gone',
      'P is gone',
      'X is gone',
      'alpha-dex is gone',
      'beta-game is gone',
      'Started: False → True',
      ...everyTagSet('Unknown', 'False', 'not-yet-run'),
      'Live: Unknown → True',
      'P is back, passing',
      'bootstrapped passes again ×2',
      'Ready all: False → True',
      'Ready primary: False → True',
      'Ready alpha: False → Unknown',
      'Ready beta: False → Unknown',
      'C is back, passing',
      'X is back, passing',
      'alpha-dex is back, passing',
      'beta-game is back, passing',
      'bootstrapped began to fail: bootstrapping',
      'Ready alpha: Unknown → True',
      'Ready beta: Unknown → True',
    ],
  },
  {
    situation: 'The node was restarted, and hangs at its start',
    faults: [{ fault: 'node-restarts' }],
    seconds: 3 * cadence,
    play: async (drill) => {
      await drill.setFaults([{ fault: 'api-silent' }]);
      await drill.run(long);
    },
    conditions: every('False', 'Unknown', 'Unknown', 'Unknown'),
    says: 'no answer within',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: gone,
  },
  {
    situation: 'The API falls silent, for 3 min',
    faults: [{ fault: 'api-silent' }],
    seconds: long,
    conditions: every('False', 'Unknown', 'False', 'Unknown'),
    says: 'no answer within',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: lost('False'),
  },
  {
    situation: 'The API falls silent, for 15 min',
    faults: [{ fault: 'api-silent' }],
    seconds: longer,
    conditions: every('False', 'Unknown', 'False', 'False'),
    says: 'no answer within',
    samples: { ...down, ...is('Live', 'False') },
    absent: ofReports,
    evidence: [...lost('False'), 'Live: Unknown → False'],
  },
  {
    situation: "The node refuses the exporter's Host header (403)",
    faults: [{ fault: 'api-forbids' }],
    seconds: longer,
    conditions: every('Unknown', 'Unknown', 'Unknown', 'Unknown'),
    says: '--http-allowed-hosts',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: lost('Unknown'),
  },
  {
    situation: 'A proxy in between refuses our credentials (401)',
    faults: [{ fault: 'api-status', status: 401 }],
    seconds: longer,
    conditions: every('Unknown', 'Unknown', 'Unknown', 'Unknown'),
    says: '401',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: lost('Unknown'),
  },
  {
    situation: 'What answers is no node: garbage',
    faults: [{ fault: 'api-garbage' }],
    seconds: longer,
    conditions: every('Unknown', 'Unknown', 'Unknown', 'Unknown'),
    says: 'JSON',
    samples: { ...down, ...is('Live', 'Unknown') },
    absent: ofReports,
    evidence: lost('Unknown'),
  },
  ...[600, -600].map(
    (offset): Situation => ({
      situation: `The node's clock is 10 min ${offset > 0 ? 'ahead' : 'behind'}`,
      faults: [{ fault: 'clock-skewed', offset }],
      fromTheStart: true,
      seconds: longer,
      conditions: well,
      says: 'every check passes',
      samples: { ...moving, 'clock_skew_seconds{}': offset },
      evidence: met('True'),
    }),
  ),
  ...[0.1, 10].map(
    (times): Situation => ({
      situation: `The configured check interval is ten times too ${times < 1 ? 'short' : 'long'}`,
      healthCheckFrequency: cadence * times,
      fromTheStart: true,
      seconds: longer,
      conditions: well,
      says: 'every check passes',
      samples: moving,
      evidence: met('True'),
    }),
  ),
  {
    situation: 'The exporter was restarted beside a healthy node',
    play: async (drill) => {
      drill.restartExporter();
      await drill.run(1);
    },
    conditions: well,
    says: 'every check passes',
    samples: { ...up, 'health_frozen{}': 0 },
    evidence: met('True'),
  },
  {
    situation: 'The exporter was restarted while all peers were lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    seconds: long,
    play: async (drill) => {
      drill.restartExporter();
      await drill.run(1);
    },
    conditions: every('True', 'False', 'False', 'True'),
    says: 'peers',
    samples: { ...up, 'check_transitions_total{check=network,to=failing}': 0 },
    evidence: [
      'network began to fail: peers',
      ...everyTagSet('True', 'False', 'peers'),
      'network found failing: peers',
      ...met('False', 'peers'),
    ],
  },
];
