// Message fields with a metric family of their own. A row defines all of a field: value, HELP and documentation.

import type { Definition } from '../../metrics/family.ts';
import { durationOf } from '../../metrics/message.ts';
import { type CheckResult, isChainMessage } from '../../protocol/health.ts';
import { parseLastRun, unscheduled } from '../../protocol/time.ts';

/** Value of a field. Undefined if it is not what the row expects: it is then an unmapped field like any other. */
type Read = (value: unknown, result: CheckResult) => number | undefined;

/** `chain`: any check with the message of a chain; its name becomes the label `chain`. */
type Matcher = 'chain' | { readonly check: string };

export interface FieldRow extends Definition {
  readonly matches: Matcher;
  /** Dotted path in the message; empty for the message itself. */
  readonly field: string;
  readonly read: Read;
}

const asNumber: Read = (value) => (typeof value === 'number' ? value : undefined);
const fromPercent: Read = (value) => (typeof value === 'number' ? value / 100 : undefined);
/** A message that was cut may have lost items. */
const asLength: Read = (value, { messageCut }) => (Array.isArray(value) && messageCut !== true ? value.length : undefined);

/** Last run minus the age, which was measured in that run. A timestamp, unlike an age, stays valid while the page is kept. */
const beforeLastRun: Read = (value, { timestamp }) => {
  const age = durationOf(value);
  return age === undefined || timestamp === undefined || timestamp === 'never' ? undefined : timestamp - age;
};

/** The epoch, year 1 and year 9999 mean that there is none. */
const asInstant: Read = (value) => {
  const instant = typeof value === 'string' ? parseLastRun(value) : undefined;
  return instant === undefined || instant === 'never' || instant === 0 || instant >= unscheduled ? undefined : instant;
};

type Rest = Pick<FieldRow, 'unit' | 'help' | 'read'> & Partial<Pick<FieldRow, 'nodeMetric' | 'stability'>>;

const ofChain = (name: Definition['name'], field: string, rest: Rest): FieldRow => {
  const source = `message.${field} of the chain's check`;
  return { ...rest, name, field, matches: 'chain', labels: ['target', 'chain'], source };
};

const ofCheck = (name: Definition['name'], check: string, field: string, rest: Rest): FieldRow => {
  const source = field === '' ? `message of check ${check}` : `message.${field} of check ${check}`;
  return { ...rest, name, field, matches: { check }, labels: ['target'], source };
};

export const fieldRows: readonly FieldRow[] = [
  ofCheck('snowgauge_network_connected_peers', 'network', 'connectedPeers', {
    unit: 'count',
    help: 'Peers that the node is connected to.',
    read: asNumber,
    nodeMetric: 'avalanche_network_peers',
  }),
  ofCheck('snowgauge_network_send_fail_ratio', 'network', 'sendFailRate', {
    unit: 'ratio',
    help: 'Fraction of messages that could not be sent.',
    read: asNumber,
    nodeMetric: 'avalanche_network_send_fail_rate',
  }),
  ofCheck('snowgauge_network_last_message_received_timestamp_seconds', 'network', 'timeSinceLastMsgReceived', {
    unit: 'timestamp',
    help: 'Time of the last received message, by the node clock: time of the check run minus the field.',
    read: beforeLastRun,
    nodeMetric: 'avalanche_network_time_since_last_msg_received (nanoseconds)',
  }),
  ofCheck('snowgauge_network_last_message_sent_timestamp_seconds', 'network', 'timeSinceLastMsgSent', {
    unit: 'timestamp',
    help: 'Time of the last sent message, by the node clock: time of the check run minus the field.',
    read: beforeLastRun,
    nodeMetric: 'avalanche_network_time_since_last_msg_sent (nanoseconds)',
  }),
  ofChain('snowgauge_chain_last_accepted_height', 'engine.consensus.lastAcceptedHeight', {
    unit: 'none',
    help: 'Height of the last block that the node accepted. No sample while the chain bootstraps.',
    read: asNumber,
    nodeMetric: 'avalanche_snowman_last_accepted_height',
  }),
  ofChain('snowgauge_chain_processing_blocks', 'engine.consensus.processingBlocks', {
    unit: 'count',
    help: 'Blocks in consensus.',
    read: asNumber,
    nodeMetric: 'avalanche_snowman_blks_processing',
  }),
  ofChain('snowgauge_chain_longest_processing_block_seconds', 'engine.consensus.longestProcessingBlock', {
    unit: 'seconds',
    help: 'Age of the oldest block in consensus.',
    read: durationOf,
  }),
  ofChain('snowgauge_chain_connected_ratio', 'networking.percentConnected', {
    unit: 'ratio',
    help: "Fraction of the chain's stake that the node is connected to.",
    read: asNumber,
    nodeMetric: 'avalanche_stake_percent_connected',
  }),
  ofChain('snowgauge_chain_disconnected_validators', 'networking.disconnectedValidators', {
    unit: 'count',
    help: 'Number of validators of the chain that the node is not connected to.',
    read: asLength,
  }),
  ofCheck('snowgauge_disk_available_bytes', 'diskspace', 'availableDiskBytes', {
    unit: 'bytes',
    help: "Bytes free on the disk of the node's database.",
    read: asNumber,
    nodeMetric: 'avalanche_resource_tracker_disk_available_space',
  }),
  ofCheck('snowgauge_disk_available_ratio', 'diskspace', 'availableDiskPercentage', {
    unit: 'ratio',
    help: "Fraction of the disk of the node's database that is free.",
    read: fromPercent,
    nodeMetric: 'avalanche_resource_tracker_disk_available_percentage',
  }),
  ofCheck('snowgauge_router_outstanding_requests', 'router', 'outstandingRequests', {
    unit: 'count',
    help: 'Requests to peers without a response yet.',
    read: asNumber,
    nodeMetric: 'avalanche_requests_outstanding',
  }),
  ofCheck('snowgauge_router_longest_running_request_seconds', 'router', 'longestRunningRequest', {
    unit: 'seconds',
    help: 'Age of the oldest request to a peer without a response.',
    read: durationOf,
    nodeMetric: 'avalanche_requests_longest_running (nanoseconds)',
  }),
  ofCheck('snowgauge_bootstrapping_subnets', 'bootstrapped', '', {
    unit: 'count',
    help: 'Number of subnets that are still bootstrapping.',
    read: asLength,
  }),
  ofCheck('snowgauge_upgrade_timestamp_seconds', 'futureupgrade', 'modeUpgradeTime', {
    unit: 'timestamp',
    help: 'Time of the latest network upgrade that most of the stake knows, which may be past. No sample if there is none.',
    read: asInstant,
    nodeMetric: 'avalanche_upgrade_time_until',
  }),
  ofCheck('snowgauge_upgrade_weight_ratio', 'futureupgrade', 'modeUpgradeWeightPercentage', {
    unit: 'ratio',
    help: 'Fraction of the stake whose latest known network upgrade is at snowgauge_upgrade_timestamp_seconds.',
    read: fromPercent,
  }),
  ofCheck('snowgauge_upgrade_local_timestamp_seconds', 'futureupgrade', 'localUpgradeTime', {
    unit: 'timestamp',
    help: 'Time of the latest network upgrade that this node knows, which may be past. No sample if there is none.',
    read: asInstant,
  }),
];

const chainRows = fieldRows.filter(({ matches }) => matches === 'chain');

/** By the name of the check. */
const checkRows = new Map<string, readonly FieldRow[]>();
for (const row of fieldRows)
  if (row.matches !== 'chain') checkRows.set(row.matches.check, [...(checkRows.get(row.matches.check) ?? []), row]);

/** The rows that may claim fields of this check. */
export const rowsFor = (name: string, message: unknown): readonly FieldRow[] => {
  const own = checkRows.get(name) ?? [];
  return isChainMessage(message) ? [...chainRows, ...own] : own;
};
