// The situations of the truth table, and what metrics, probes and evidence say in each.

import type { Drill } from '../support/drill.ts';
import { betaAndAll, down, every, everyTagSet, lost, met, moving, ofReports, up, well } from './expected.ts';
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

export const situations: readonly Situation[] = [
  {
    situation: 'All is well',
    verdicts: well,
    says: 'every check passes',
    seconds: long,
    samples: { ...moving, 'target_ready{tag_set=alpha}': 1, 'check_transitions_total{tag_set=all,check=network,to=failing}': 0 },
    evidence: [],
  },
  {
    situation: 'The node has just begun: its checks have not run yet',
    young: true,
    fromTheStart: true,
    seconds: 1,
    verdicts: every('yes', 'no', 'yes'),
    says: 'not-yet-run',
    samples: {
      ...up,
      'readiness_healthy{}': 0,
      'check_failure_reason{tag_set=all,check=bootstrapped,reason=not-yet-run}': 1,
      // Another check has run, a moment ago.
      'health_frozen{}': 0,
    },
    absent: ['check_last_run_timestamp_seconds{check=bootstrapped}'],
    evidence: ['bootstrapped found failing: not-yet-run', ...met('no', 'not-yet-run')],
  },
  {
    situation: 'The node hangs at its start: the port is open, and nothing answers',
    faults: [{ fault: 'api-silent' }],
    fromTheStart: true,
    seconds: longer,
    verdicts: every('no', 'no', 'unknown'),
    says: 'no answer within',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: ['started: unknown → no', ...everyTagSet('unknown', 'no')],
  },
  {
    situation: 'A check hangs, for 3 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: long,
    verdicts: every('yes', 'unknown', 'yes'),
    says: 'alpha-dex',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1, 'health_frozen_suspect{check=alpha-dex}': 1 },
    evidence: ['frozen, perhaps for alpha-dex', ...everyTagSet('yes', 'unknown')],
  },
  {
    situation: 'A check hangs, for 15 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: longer,
    verdicts: every('yes', 'unknown', 'no'),
    says: 'health worker hangs',
    samples: { 'up{}': 1, 'health_frozen{}': 1, 'target_started{}': 1, 'target_live{}': 0 },
    evidence: ['frozen, perhaps for alpha-dex', ...everyTagSet('yes', 'unknown'), 'live: yes → no'],
  },
  {
    situation: 'The clock of the health worker stands still, for 3 min',
    faults: [{ fault: 'time-freezes' }],
    seconds: long,
    verdicts: every('yes', 'unknown', 'yes'),
    says: 'health worker hangs',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1 },
    evidence: [/^frozen, perhaps for/, ...everyTagSet('yes', 'unknown')],
  },
  {
    situation: 'The tag of a tag set is misspelt',
    wrongTag: true,
    fromTheStart: true,
    seconds: long,
    verdicts: { ...well, alpha: 'unknown' },
    says: 'every check passes',
    samples: { ...up, 'health_healthy{tag_set=alpha}': 1, 'tag_known{tag_set=alpha}': 0, 'tag_known{tag_set=beta}': 1 },
    evidence: met('yes').filter((line) => !line.startsWith('ready alpha')),
  },
  {
    situation: 'Subnet beta bootstraps for ever',
    faults: [{ fault: 'subnet-bootstraps', subnet: 'beta' }],
    seconds: long,
    verdicts: { ...well, all: 'no', beta: 'no' },
    says: 'bootstrapping',
    samples: {
      ...up,
      'health_healthy{tag_set=alpha}': 0,
      'bootstrapping_subnets{tag_set=alpha}': 1,
      'check_failure_reason{tag_set=alpha,check=bootstrapped,reason=bootstrapping}': 1,
      'target_ready{tag_set=alpha}': 1,
      'target_ready{tag_set=beta}': 0,
    },
    evidence: ['bootstrapped began to fail: bootstrapping', ...betaAndAll('bootstrapping')],
  },
  {
    situation: "The VM of subnet beta's chain is dead",
    faults: [{ fault: 'chain-dead', chain: 'beta-game' }],
    seconds: long,
    verdicts: { ...well, all: 'no', beta: 'no' },
    says: 'vm-dead',
    samples: {
      ...up,
      'check_healthy{tag_set=beta,check=beta-game}': 0,
      'check_failure_reason{tag_set=beta,check=beta-game,reason=vm-dead}': 1,
      'health_healthy{tag_set=alpha}': 1,
    },
    evidence: ['beta-game began to fail: vm-dead', ...betaAndAll('vm-dead')],
  },
  {
    situation: 'A check fails in every other round',
    faults: [{ fault: 'check-flaps', check: 'router', period: cadence, error: 'the router is not healthy reason: drill' }],
    seconds: 2 * long,
    verdicts: well,
    says: 'every check passes',
    samples: { ...up, 'check_transitions_total{tag_set=beta,check=router,to=failing}': 6 },
    evidence: ['router began to fail: router ×6', 'router passes again ×6'],
  },
  {
    situation: 'A check flaps faster than the node is polled',
    faults: closed,
    seconds: long,
    play: (drill) => flapUnseen(drill, 4),
    verdicts: every('yes', 'no', 'yes'),
    says: 'database',
    samples: {
      ...up,
      'check_transitions_total{tag_set=all,check=database,to=failing}': 5,
      'check_transitions_total{tag_set=all,check=database,to=passing}': 4,
    },
    evidence: ['database began to fail: database ×5', ...everyTagSet('yes', 'no', 'database'), 'database recovered unseen ×4'],
  },
  {
    situation: 'A check recovered, and nobody saw it',
    faults: closed,
    seconds: long,
    play: (drill) => flapUnseen(drill, 1),
    verdicts: every('yes', 'no', 'yes'),
    says: 'database',
    samples: {
      ...up,
      'check_contiguous_failures{tag_set=all,check=database}': 2,
      'check_transitions_total{tag_set=all,check=database,to=passing}': 1,
    },
    evidence: ['database began to fail: database ×2', ...everyTagSet('yes', 'no', 'database'), 'database recovered unseen'],
  },
  {
    situation: 'All peers are lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'peers',
    samples: {
      ...up,
      'network_connected_peers{tag_set=all}': 0,
      'check_healthy{tag_set=all,check=network}': 0,
      'check_failure_reason{tag_set=all,check=network,reason=peers}': 1,
    },
    evidence: ['network began to fail: peers', ...everyTagSet('yes', 'no', 'peers')],
  },
  {
    situation: "Too little stake is connected on beta's chain (ignored unless configured otherwise)",
    faults: [{ fault: 'stake-disconnects', chain: 'beta-game', percentConnected: 0.2 }],
    seconds: long,
    verdicts: well,
    says: 'stake-disconnected',
    samples: {
      ...up,
      'health_healthy{tag_set=beta}': 0,
      'target_ready{tag_set=beta}': 1,
      'chain_connected_ratio{tag_set=beta,chain=beta-game}': 0.2,
      'check_failure_reason{tag_set=beta,check=beta-game,reason=stake-disconnected}': 1,
    },
    evidence: ['beta-game began to fail: stake-disconnected'],
  },
  {
    situation: 'Blocks are not processed in the whole network (ignored unless configured otherwise)',
    faults: ['P', 'X', 'C', 'alpha-dex', 'beta-game'].map((check) => ({ fault: 'check-fails' as const, check, error: blocks })),
    seconds: long,
    verdicts: well,
    says: 'block-processing',
    samples: { ...up, 'health_healthy{tag_set=primary}': 0, 'target_ready{tag_set=primary}': 1 },
    evidence: ['C', 'P', 'X', 'alpha-dex', 'beta-game'].map((check) => `${check} began to fail: block-processing`),
  },
  {
    situation: 'The disk is below its warning threshold',
    faults: [{ fault: 'disk-fills', availablePercentage: 8 }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'disk',
    samples: {
      ...up,
      'check_healthy{tag_set=alpha,check=diskspace}': 0,
      'disk_available_ratio{tag_set=alpha}': 0.08,
      'check_failure_reason{tag_set=alpha,check=diskspace,reason=disk}': 1,
    },
    evidence: ['diskspace began to fail: disk', ...everyTagSet('yes', 'no', 'disk')],
  },
  {
    situation: 'The node is shutting down',
    faults: [{ fault: 'node-shuts-down' }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'shutting-down',
    samples: { ...up, 'check_failure_reason{tag_set=all,check=shuttingDown,reason=shutting-down}': 1 },
    evidence: ['shuttingDown found failing: shutting-down', ...everyTagSet('yes', 'no', 'shutting-down')],
  },
  {
    situation: 'The node is down: connections are refused',
    faults: [{ fault: 'node-restarts' }],
    seconds: long,
    verdicts: every('no', 'no', 'unknown'),
    says: 'refused',
    samples: { ...down, 'target_ready{tag_set=beta}': 0, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('no'),
  },
  {
    situation: 'The node was restarted, and has bootstrapped again',
    faults: [{ fault: 'node-restarts' }],
    seconds: 3 * cadence,
    play: async (drill) => {
      await drill.setFaults([]);
      await drill.run(longer);
    },
    verdicts: well,
    says: 'every check passes',
    samples: { ...moving, 'node_restarts_total{}': 1 },
    evidence: [
      ...lost('no'),
      'node-restarted',
      'bootstrapped began to fail: bootstrapping ×2',
      'C is gone',
      'X is gone',
      'alpha-dex is gone',
      'beta-game is gone',
      'started: no → yes',
      'live: unknown → yes',
      'bootstrapped passes again ×2',
      'ready all: no → yes',
      'ready primary: no → yes',
      'ready alpha: no → unknown',
      'ready beta: no → unknown',
      'C is back, passing',
      'X is back, passing',
      'alpha-dex is back, passing',
      'beta-game is back, passing',
      'ready alpha: unknown → yes',
      'ready beta: unknown → yes',
    ],
  },
  {
    situation: 'The node was restarted, and hangs at its start',
    faults: [{ fault: 'node-restarts' }],
    seconds: 3 * cadence,
    play: async (drill) => {
      await drill.setFaults([{ fault: 'api-silent' }]);
      await drill.run(longer);
    },
    verdicts: every('no', 'no', 'unknown'),
    says: 'no answer within',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('no'),
  },
  {
    situation: 'The API falls silent, for 3 min',
    faults: [{ fault: 'api-silent' }],
    seconds: long,
    verdicts: every('no', 'no', 'unknown'),
    says: 'no answer within',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('no'),
  },
  {
    situation: 'The API falls silent, for 15 min',
    faults: [{ fault: 'api-silent' }],
    seconds: longer,
    verdicts: every('no', 'no', 'no'),
    says: 'no answer within',
    samples: { ...down, 'target_live{}': 0 },
    absent: ofReports,
    evidence: [...lost('no'), 'live: unknown → no'],
  },
  {
    situation: "The node refuses the exporter's Host header (403)",
    faults: [{ fault: 'api-forbids' }],
    seconds: longer,
    verdicts: every('unknown', 'unknown', 'unknown'),
    says: '--http-allowed-hosts',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('unknown'),
  },
  {
    situation: 'A proxy in between refuses our credentials (401)',
    faults: [{ fault: 'api-status', status: 401 }],
    seconds: longer,
    verdicts: every('unknown', 'unknown', 'unknown'),
    says: '401',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('unknown'),
  },
  {
    situation: 'What answers is no node: garbage',
    faults: [{ fault: 'api-garbage' }],
    seconds: longer,
    verdicts: every('unknown', 'unknown', 'unknown'),
    says: 'JSON',
    samples: { ...down, 'target_live{}': 1 },
    absent: ofReports,
    evidence: lost('unknown'),
  },
  ...[600, -600].map(
    (offset): Situation => ({
      situation: `The node's clock is 10 min ${offset > 0 ? 'ahead' : 'behind'}`,
      faults: [{ fault: 'clock-skewed', offset }],
      fromTheStart: true,
      seconds: longer,
      verdicts: well,
      says: 'every check passes',
      samples: { ...moving, 'clock_skew_seconds{}': offset },
      evidence: met('yes'),
    }),
  ),
  ...[0.1, 10].map(
    (times): Situation => ({
      situation: `The configured cadence is ten times too ${times < 1 ? 'short' : 'long'}`,
      healthCheckFrequency: cadence * times,
      fromTheStart: true,
      seconds: longer,
      verdicts: well,
      says: 'every check passes',
      samples: moving,
      evidence: met('yes'),
    }),
  ),
  {
    situation: 'The exporter was restarted beside a node that is well',
    play: async (drill) => {
      drill.restartExporter();
      await drill.run(1);
    },
    verdicts: well,
    says: 'every check passes',
    samples: { ...up, 'health_frozen{}': 0 },
    evidence: met('yes'),
  },
  {
    situation: 'The exporter was restarted while all peers were lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    seconds: long,
    play: async (drill) => {
      drill.restartExporter();
      await drill.run(1);
    },
    verdicts: every('yes', 'no', 'yes'),
    says: 'peers',
    samples: { ...up, 'check_transitions_total{tag_set=all,check=network,to=failing}': 0 },
    evidence: [
      'network began to fail: peers',
      ...everyTagSet('yes', 'no', 'peers'),
      'network found failing: peers',
      ...met('no', 'peers'),
    ],
  },
];
