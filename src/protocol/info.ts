// What a node answers of itself at /ext/info: identity, version, network, upgrades, peers. One odd value costs that value; only what an
// answer is asked for must be there.

import * as z from 'zod/mini';
import { uint64 } from './container.ts';
import { parseInstant } from './time.ts';

/** Longest text of an answer that is kept: all of them are labels or stand on a page. */
const textLength = 128;

const shortened = (text: string): string => text.slice(0, textLength).replace(/\p{Surrogate}/gu, '\ufffd');

const shortText = z.pipe(z.string().check(z.minLength(1)), z.transform(shortened));

const field = z.optional(z.unknown());

/** `NodeID-` and cb58 of 20 bytes. Whether the checksum is right is the node's business. */
const nodeIdPattern = /^NodeID-[1-9A-HJ-NP-Za-km-z]{20,60}$/;

export const isNodeId = (text: string): boolean => nodeIdPattern.test(text);

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

const percentage = z.pipe(
  z.union([z.string().check(z.regex(/^\d{1,3}(?:\.\d{1,20})?$/, 'must be a percentage')), z.number()]),
  z.transform(Number).check(z.minimum(0), z.maximum(100)),
);

/** The network's view of this node: strings with four decimals. */
export const uptimeAnswer = z.object({ rewardingStakePercentage: percentage, weightedAveragePercentage: percentage });

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
}

const peer = z.pipe(
  z.object({ version: field }),
  z.transform(({ version }): Peer => (typeof version === 'string' ? { version: shortened(version) } : {})),
);

/** A row that is no object is a peer of which nothing is known. */
export const peersAnswer = z.object({
  numPeers: field,
  peers: z.pipe(
    z.custom<readonly WirePeer[]>(Array.isArray, 'must be an array'),
    z.transform((rows): readonly Peer[] => rows.map((row) => peer.safeParse(row).data ?? {})),
  ),
});

/** Most upgrades that are read: a real node names a dozen. */
const maxUpgrades = 64;

/** From then on an upgrade is not scheduled: a node writes the year 9999. */
const notScheduled = Date.UTC(9000, 0, 1) / 1000;

/** `heliconTime` */
const upgradeName = /^([A-Za-z][A-Za-z0-9]{0,60})Time$/;

/** Instants of the scheduled upgrades by name, `helicon`: seconds since the Unix epoch. Heights and durations are left out. */
export const upgradesAnswer = z.pipe(
  z.record(z.string(), z.unknown()),
  z.transform((wire): ReadonlyMap<string, number> => {
    const scheduled = new Map<string, number>();
    for (const [member, value] of Object.entries(wire).slice(0, 4 * maxUpgrades)) {
      const [, name] = upgradeName.exec(member) ?? [];
      const at = typeof value === 'string' ? parseInstant(value) : undefined;
      if (name !== undefined && at !== undefined && at < notScheduled && scheduled.size < maxUpgrades) scheduled.set(name, at);
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
