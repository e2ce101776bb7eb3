// Responses of /ext/info: identity, version, network, upgrades, peers. An invalid value only drops that value, except for the value that
// the request is made for, which is required.

import * as z from 'zod/mini';
import { firstUnits } from '../text.ts';
import { uint64 } from './container.ts';
import { isObject } from './foreign-text.ts';
import { isNodeId } from './node-id.ts';
import { textThat } from './scalars.ts';
import { parseInstant, unscheduled } from './time.ts';

/** Maximum length of a text from a response that is kept: all are label values, or shown on a page. */
const textLength = 128;

const limited = (text: string): string => firstUnits(text, textLength).toWellFormed();

/** Not by `z.minLength`, which throws for some objects: see container.ts. */
export const shortText = z.pipe(
  textThat((text) => text !== '', 'must not be empty'),
  z.transform(limited),
);

/** A field that a node sends, and that nothing reads. */
export const unreadField = z.optional(z.unknown());

export const nodeIdAnswer = z.object({
  nodeID: textThat(isNodeId, 'must be a NodeID'),
  /** The BLS key, and the proof of its possession. */
  nodePOP: unreadField,
});

/** `version`: for example `avalanchego/1.14.2`. */
export const versionAnswer = z.object({
  version: shortText,
  databaseVersion: unreadField,
  rpcProtocolVersion: unreadField,
  gitCommit: unreadField,
  /** By alias or ID of the VM. */
  vmVersions: unreadField,
});

export const networkIdAnswer = z.object({ networkID: uint64 });
export const networkNameAnswer = z.object({ networkName: shortText });
export const bootstrappedAnswer = z.object({ isBootstrapped: z.boolean() });

const percentText = /^\d{1,3}(?:\.\d{1,20})?$/;

/** A percentage is a number or its decimal text. Undefined if invalid. */
export const percentOf = (wire: unknown): number | undefined => {
  const percent =
    typeof wire === 'number' ? wire : typeof wire === 'string' && percentText.test(wire) ? Number(wire) : Number.NaN;
  return percent >= 0 && percent <= 100 ? percent : undefined;
};

/** The same as a schema. */
export const percentage = z.pipe(
  z.custom<string | number>(
    (wire) => percentOf(wire) !== undefined,
    'must be a percentage, a number from 0 to 100 or its decimal text',
  ),
  z.transform((wire): number => percentOf(wire) ?? 0),
);

/** At least one character. A longer text is truncated. */
export const shortTextOf = (wire: unknown): string | undefined =>
  typeof wire === 'string' && wire !== '' ? limited(wire) : undefined;

/** Uptime of this node as seen by the network. The percentages are strings with four decimals. */
export const uptimeAnswer = z.object({ rewardingStakePercentage: percentage, weightedAveragePercentage: percentage });

/**
 * Maximum rows of a response: mainnet has some 1300 validators, as many blockchains, and 2000 peers. A longer response is an error, because
 * rows that are left out would look like missing ones.
 */
export const maxRows = 10_000;

export const wireRows = <Wire>(most = maxRows) =>
  z.custom<readonly Wire[]>(Array.isArray, 'must be an array').check(z.maxLength(most));

/** A peer, as a node writes it. Responses may contain anything else. */
export interface WirePeer {
  readonly ip: string;
  readonly publicIP: string;
  readonly nodeID: string;
  readonly version: string;
  /** Unix seconds. */
  readonly upgradeTime: number;
  readonly lastSent: string;
  readonly lastReceived: string;
  /** The uptime of this node as reported by the peer, in whole percent. */
  readonly observedUptime: string;
  readonly trackedSubnets: readonly string[];
  readonly supportedACPs: readonly number[];
  readonly objectedACPs: readonly number[];
  readonly benched: readonly string[];
}

export interface Peer {
  readonly version?: string;
  /** The uptime of this node as reported by the peer, in whole percent. */
  readonly observedUptime?: number;
}

/** Parsed without a schema, like the rows of the P-Chain: a response may have thousands. */
const peerOf = (row: unknown): Peer => {
  if (!isObject(row)) return {};
  const { version, observedUptime } = row;
  const percent = percentOf(observedUptime);
  return {
    ...(typeof version === 'string' && { version: limited(version) }),
    ...(percent !== undefined && { observedUptime: percent }),
  };
};

/** A row that is not an object counts as a peer without known data. */
export const peersAnswer = z.object({
  numPeers: unreadField,
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

/** Names by ID: those of each VM, and of each feature extension. */
export interface WireVms {
  readonly vms: Readonly<Record<string, readonly string[]>>;
  readonly fxs: Readonly<Record<string, string>>;
}

/** Maximum fields of the response: that of a real node has two dozen. */
const maxUpgrades = 64;

/** For example `heliconTime`. */
const upgradeName = /^([A-Za-z][A-Za-z0-9]{0,60})Time$/;

/** Times of the scheduled upgrades, in Unix seconds, by name (`helicon`). Leaves out heights and durations. */
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

/** Names of Avalanche's own networks. */
const networkNames: ReadonlyMap<bigint, string> = new Map([
  [1n, 'mainnet'],
  [5n, 'fuji'],
]);

export const networkNameOf = (id: bigint): string => networkNames.get(id) ?? `network-${id}`;
