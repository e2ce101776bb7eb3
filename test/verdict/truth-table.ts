// The truth table: situations of a node, and what its probes say in each. test/verdict/truth-table.test.ts brings every situation
// about on real sockets; docs/probes.md shows the same table.

import type { FaultNow } from '../../src/node/play.ts';

type Said = 'yes' | 'no' | 'unknown';

/** What the probes answer: startup, readiness of the four tag sets, liveness. */
export interface Verdicts {
  readonly startup: Said;
  readonly all: Said;
  readonly primary: Said;
  readonly alpha: Said;
  readonly beta: Said;
  readonly live: Said;
}

export interface Situation {
  readonly situation: string;
  readonly verdicts: Verdicts;
  /** The readiness of the whole node gives this as a reason, or its sentence holds it. */
  readonly says?: string;
  readonly faults?: readonly FaultNow[];
  /** Simulated seconds for which the faults last before the verdicts are read. The node checks every 30 s. */
  readonly seconds?: number;
  /** The exporter meets the node in this state, and has not seen it before. */
  readonly fromTheStart?: true;
  /** The node has just begun. */
  readonly young?: true;
  /** A tag set `alpha` whose tag nothing has. */
  readonly wrongTag?: true;
  readonly healthCheckFrequency?: number;
  /** Samples by family and labels, as on the page. */
  readonly samples?: Readonly<Record<string, number>>;
}

const every = (startup: Said, ready: Said, live: Said): Verdicts => ({
  startup,
  all: ready,
  primary: ready,
  alpha: ready,
  beta: ready,
  live,
});

const well = every('yes', 'yes', 'yes');
const cadence = 30;
const { long, longer } = { long: 6 * cadence, longer: 30 * cadence };

const blocks = 'engine: block processing too long: 47s > 30s';
const up = { 'up{}': 1, 'target_started{}': 1, 'target_live{}': 1 };

export const situations: readonly Situation[] = [
  {
    situation: 'All is well',
    verdicts: well,
    seconds: long,
    samples: { ...up, 'health_frozen{}': 0, 'target_ready{tag_set=alpha}': 1 },
  },
  {
    situation: 'The node has just begun: its checks have not run yet',
    young: true,
    seconds: 1,
    verdicts: every('yes', 'no', 'yes'),
    says: 'not-yet-run',
    samples: { ...up, 'readiness_healthy{}': 0, 'target_ready{tag_set=all}': 0 },
  },
  {
    situation: 'The node hangs at its start: the port is open, and nothing answers',
    faults: [{ fault: 'api-silent' }],
    fromTheStart: true,
    seconds: longer,
    verdicts: every('no', 'no', 'unknown'),
    says: 'no answer within',
    samples: { 'up{}': 0, 'target_started{}': 0, 'target_ready{tag_set=all}': 0, 'target_live{}': 1 },
  },
  {
    situation: 'A check hangs, for 3 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: long,
    verdicts: every('yes', 'unknown', 'yes'),
    says: 'alpha-dex',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1, 'health_frozen_suspect{check=alpha-dex}': 1 },
  },
  {
    situation: 'A check hangs, for 15 min',
    faults: [{ fault: 'check-hangs', check: 'alpha-dex' }],
    seconds: longer,
    verdicts: every('yes', 'unknown', 'no'),
    says: 'health worker hangs',
    samples: { 'health_frozen{}': 1, 'target_live{}': 0 },
  },
  {
    situation: 'The clock of the health worker stands still, for 3 min',
    faults: [{ fault: 'time-freezes' }],
    seconds: long,
    verdicts: every('yes', 'unknown', 'yes'),
    says: 'health worker hangs',
    samples: { ...up, 'health_healthy{tag_set=all}': 1, 'health_frozen{}': 1 },
  },
  {
    situation: 'The tag of a tag set is misspelt',
    wrongTag: true,
    seconds: long,
    verdicts: { ...well, alpha: 'unknown' },
    samples: { ...up, 'health_healthy{tag_set=alpha}': 1, 'tag_known{tag_set=alpha}': 0, 'tag_known{tag_set=beta}': 1 },
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
      'target_ready{tag_set=alpha}': 1,
    },
  },
  {
    situation: "The VM of subnet beta's chain is dead",
    faults: [{ fault: 'chain-dead', chain: 'beta-game' }],
    seconds: long,
    verdicts: { ...well, all: 'no', beta: 'no' },
    says: 'vm-dead',
    samples: { ...up, 'check_healthy{tag_set=beta,check=beta-game}': 0, 'health_healthy{tag_set=alpha}': 1 },
  },
  {
    situation: 'A check fails in every other round',
    faults: [{ fault: 'check-flaps', check: 'router', period: cadence, error: 'the router is not healthy reason: drill' }],
    seconds: 2 * long,
    verdicts: well,
    samples: up,
  },
  {
    situation: 'All peers are lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'peers',
    samples: { ...up, 'network_connected_peers{tag_set=all}': 0, 'check_healthy{tag_set=all,check=network}': 0 },
  },
  {
    situation: "Too little stake is connected on beta's chain (ignored unless configured otherwise)",
    faults: [{ fault: 'stake-disconnects', chain: 'beta-game', percentConnected: 0.2 }],
    seconds: long,
    verdicts: well,
    says: 'stake-disconnected',
    samples: { ...up, 'health_healthy{tag_set=beta}': 0, 'target_ready{tag_set=beta}': 1 },
  },
  {
    situation: 'Blocks are not processed in the whole network (ignored unless configured otherwise)',
    faults: ['P', 'X', 'C', 'alpha-dex', 'beta-game'].map((check) => ({ fault: 'check-fails' as const, check, error: blocks })),
    seconds: long,
    verdicts: well,
    says: 'block-processing',
    samples: { ...up, 'health_healthy{tag_set=primary}': 0, 'target_ready{tag_set=primary}': 1 },
  },
  {
    situation: 'The disk is below its warning threshold',
    faults: [{ fault: 'disk-fills', availablePercentage: 8 }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'disk',
    samples: { ...up, 'check_healthy{tag_set=alpha,check=diskspace}': 0 },
  },
  {
    situation: 'The node is shutting down',
    faults: [{ fault: 'node-shuts-down' }],
    seconds: long,
    verdicts: every('yes', 'no', 'yes'),
    says: 'shutting-down',
    samples: { ...up, 'check_healthy{tag_set=all,check=shuttingDown}': 0 },
  },
  {
    situation: 'The node is down: connections are refused',
    faults: [{ fault: 'node-restarts' }],
    seconds: long,
    verdicts: every('no', 'no', 'unknown'),
    says: 'refused',
    samples: { 'up{}': 0, 'target_started{}': 0, 'target_ready{tag_set=beta}': 0, 'target_live{}': 1 },
  },
  {
    situation: 'The API falls silent, for 3 min',
    faults: [{ fault: 'api-silent' }],
    seconds: long,
    verdicts: every('no', 'no', 'unknown'),
    says: 'no answer within',
    samples: { 'up{}': 0, 'target_started{}': 0, 'target_live{}': 1 },
  },
  {
    situation: 'The API falls silent, for 15 min',
    faults: [{ fault: 'api-silent' }],
    seconds: longer,
    verdicts: every('no', 'no', 'no'),
    says: 'no answer within',
    samples: { 'up{}': 0, 'target_live{}': 0 },
  },
  {
    situation: "The node refuses the exporter's Host header (403)",
    faults: [{ fault: 'api-forbids' }],
    seconds: longer,
    verdicts: every('unknown', 'unknown', 'unknown'),
    says: '--http-allowed-hosts',
    samples: { 'up{}': 0, 'target_started{}': 0, 'target_ready{tag_set=all}': 0, 'target_live{}': 1 },
  },
  {
    situation: "The node's clock is 10 min ahead",
    faults: [{ fault: 'clock-skewed', offset: 600 }],
    fromTheStart: true,
    seconds: longer,
    verdicts: well,
    samples: { ...up, 'health_frozen{}': 0 },
  },
  {
    situation: "The node's clock is 10 min behind",
    faults: [{ fault: 'clock-skewed', offset: -600 }],
    fromTheStart: true,
    seconds: longer,
    verdicts: well,
    samples: { ...up, 'health_frozen{}': 0 },
  },
  {
    situation: 'The configured cadence is ten times too short',
    healthCheckFrequency: cadence / 10,
    seconds: longer,
    verdicts: well,
    samples: { ...up, 'health_frozen{}': 0 },
  },
  {
    situation: 'The configured cadence is ten times too long',
    healthCheckFrequency: cadence * 10,
    seconds: longer,
    verdicts: well,
    samples: { ...up, 'health_frozen{}': 0 },
  },
  { situation: 'The exporter has just begun', fromTheStart: true, seconds: 1, verdicts: well, samples: up },
];

const cell = (said: Said): string => (said === 'yes' ? 'yes' : `**${said}**`);

const columns = ['startup', 'all', 'primary', 'alpha', 'beta', 'live'] as const;

/** The table of docs/probes.md. */
export const truthTable = (): string =>
  [
    '| situation | startup | ready: all | ready: primary | ready: alpha | ready: beta | live |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...situations.map(
      ({ situation, verdicts }) => `| ${situation} | ${columns.map((column) => cell(verdicts[column])).join(' | ')} |`,
    ),
  ].join('\n');

export const marks = { begin: '<!-- truth table: written by npm run docs -->', end: '<!-- end of the truth table -->' } as const;

/** The document with the table in its place. */
export const withTruthTable = (document: string): string => {
  const [before = '', rest = ''] = document.split(marks.begin);
  const [, after = ''] = rest.split(marks.end);
  return `${before}${marks.begin}\n\n${truthTable()}\n\n${marks.end}${after}`;
};
