// What a node answers of itself at /ext/info: identity, version, network, upgrades, peers. One odd value costs that value; only what an
// answer is asked for must be there.

import * as z from 'zod/mini';
import { uint64 } from './container.ts';
import { isObject } from './foreign-text.ts';
import { isNodeId } from './node-id.ts';
import { parseInstant, unscheduled } from './time.ts';

/** Longest text of an answer that is kept: all of them are labels or stand on a page. */
const textLength = 128;

const truncated = (text: string): string => text.slice(0, textLength).toWellFormed();

export const shortText = z.pipe(z.string().check(z.minLength(1)), z.transform(truncated));

const field = z.optional(z.unknown());

export const nodeIdAnswer = z.object({
  nodeID: z.string().check(z.refine(isNodeId, 'must be a NodeID')),
  /** The BLS key, and the proof that the node has it. */
  nodePOP: field,
});

/** `version` is `avalanchego/1.14.2`. */
export const versionAnswer = z.object({
  version: shortText,
  databaseVersion: field,
  rpcProtocolVersion: field,
  gitCommit: field,
  /** By the alias or the id of the VM. */
  vmVersions: field,
});

export const networkIdAnswer = z.object({ networkID: uint64 });
export const networkNameAnswer = z.object({ networkName: shortText });
export const bootstrappedAnswer = z.object({ isBootstrapped: z.boolean() });

const percentText = /^\d{1,3}(?:\.\d{1,20})?$/;

export const percentage = z.pipe(
  z.union([z.string().check(z.regex(percentText, 'must be a percentage')), z.number()]),
  z.transform(Number).check(z.minimum(0), z.maximum(100)),
);

/** The same without a schema; undefined where it is none. */
export const percentOf = (wire: unknown): number | undefined => {
  const percent =
    typeof wire === 'number' ? wire : typeof wire === 'string' && percentText.test(wire) ? Number(wire) : Number.NaN;
  return percent >= 0 && percent <= 100 ? percent : undefined;
};

/** At least one character; what is longer is cut. */
export const shortTextOf = (wire: unknown): string | undefined =>
  typeof wire === 'string' && wire !== '' ? truncated(wire) : undefined;

/** The network's view of this node: strings with four decimals. */
export const uptimeAnswer = z.object({ rewardingStakePercentage: percentage, weightedAveragePercentage: percentage });

/**
 * Most rows of an answer: mainnet has some 1300 validators, as many blockchains and 2000 peers. An answer of more is none: what it
 * holds beyond them would be taken for what there is not.
 */
export const maxRows = 10_000;

export const wireRows = <Wire>(most = maxRows) =>
  z.custom<readonly Wire[]>(Array.isArray, 'must be an array').check(z.maxLength(most));

/** A peer as a node writes it. What comes from the wire may be anything. */
export interface WirePeer {
  readonly ip: string;
  readonly publicIP: string;
  readonly nodeID: string;
  readonly version: string;
  /** Unix seconds. */
  readonly upgradeTime: number;
  readonly lastSent: string;
  readonly lastReceived: string;
  /** What the peer says of this node: whole percent. */
  readonly observedUptime: string;
  readonly trackedSubnets: readonly string[];
  readonly supportedACPs: readonly number[];
  readonly objectedACPs: readonly number[];
  readonly benched: readonly string[];
}

export interface Peer {
  readonly version?: string;
  /** What it says of the uptime of this node, in whole percent. */
  readonly observedUptime?: number;
}

/** By hand, as the rows of the P-Chain: an answer may hold thousands. */
const peerOf = (row: unknown): Peer => {
  if (!isObject(row)) return {};
  const { version, observedUptime } = row;
  const percent = percentOf(observedUptime);
  return {
    ...(typeof version === 'string' && { version: truncated(version) }),
    ...(percent !== undefined && { observedUptime: percent }),
  };
};

/** A row that is no object is a peer of which nothing is known. */
export const peersAnswer = z.object({
  numPeers: field,
  peers: z.pipe(
    wireRows<WirePeer>(),
    z.transform((rows): readonly Peer[] => rows.map(peerOf)),
  ),
});

/** nAVAX, by kind of transaction. */
export interface WireTxFees {
  readonly txFee: string;
  readonly createAssetTxFee: string;
  readonly createSubnetTxFee: string;
  readonly transformSubnetTxFee: string;
  readonly createBlockchainTxFee: string;
  readonly addPrimaryNetworkValidatorFee: string;
  readonly addPrimaryNetworkDelegatorFee: string;
  readonly addSubnetValidatorFee: string;
  readonly addSubnetDelegatorFee: string;
}

/** Names by id: those of each VM, and that of each feature extension. */
export interface WireVms {
  readonly vms: Readonly<Record<string, readonly string[]>>;
  readonly fxs: Readonly<Record<string, string>>;
}

/** Most members of the answer: a real node has two dozen. */
const maxUpgrades = 64;

/** `heliconTime` */
const upgradeName = /^([A-Za-z][A-Za-z0-9]{0,60})Time$/;

/** Instants of the scheduled upgrades by name, `helicon`: seconds since the Unix epoch. Heights and durations are left out. */
export const upgradesAnswer = z.pipe(
  z
    .record(z.string(), z.unknown())
    .check(z.refine((wire) => Object.keys(wire).length <= maxUpgrades, `must have at most ${maxUpgrades} members`)),
  z.transform((wire): ReadonlyMap<string, number> => {
    const scheduled = new Map<string, number>();
    for (const [member, value] of Object.entries(wire)) {
      const [, name] = upgradeName.exec(member) ?? [];
      const at = typeof value === 'string' ? parseInstant(value) : undefined;
      if (name !== undefined && at !== undefined && at < unscheduled) scheduled.set(name, at);
    }
    return scheduled;
  }),
);

/** How Avalanche's own networks are called. */
const networkNames: ReadonlyMap<bigint, string> = new Map([
  [1n, 'mainnet'],
  [5n, 'fuji'],
]);

export const networkNameOf = (id: bigint): string => networkNames.get(id) ?? `network-${id}`;
