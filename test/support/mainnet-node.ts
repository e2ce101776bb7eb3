// Valid responses of a node on a network of mainnet's size, with the fields of a real node.

import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { WirePeer } from '../../src/protocol/info.ts';
import type { WireBlockchain, WireDelegator, WireOwner, WirePrimaryValidator } from '../../src/protocol/platform-wire.ts';
import { type Served, serveHttp } from './serve.ts';

const listOf = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));

/** As long as the cb58 of 20 or 32 bytes. */
const base58 = (length: number, at: number): string =>
  (at + 10_000_000).toString().replaceAll('0', 'z').padStart(length, '2SUG9uyi');
export const nodeIdAt = (at: number): string => `NodeID-${base58(33, at)}`;
const idAt = (at: number): string => base58(50, at);

const owner = (at: number): WireOwner => ({ locktime: '0', threshold: '1', addresses: [`P-avax1${base58(38, at)}`] });
const [startTime, endTime] = ['1791000000', '1822536000'];

const delegator = (at: number): WireDelegator => ({
  txID: idAt(at),
  startTime,
  endTime,
  weight: '25000000000',
  nodeID: nodeIdAt(0),
  rewardOwner: owner(at),
  potentialReward: '1250000000',
});

const validator = (at: number): WirePrimaryValidator => ({
  txID: idAt(at),
  startTime,
  endTime,
  weight: '2000000000000000',
  nodeID: nodeIdAt(at),
  validationRewardOwner: owner(at),
  delegationRewardOwner: owner(at),
  potentialReward: '239043697070926',
  accruedDelegateeReward: '1234567890',
  delegationFee: '2.0000',
  uptime: '99.9988',
  connected: true,
  signer: { publicKey: `0x${'8a'.repeat(48)}`, proofOfPossession: `0x${'b0'.repeat(96)}` },
  delegatorCount: '12',
  delegatorWeight: '300000000000',
});

const peer = (at: number): WirePeer => ({
  ip: `203.0.113.${at % 256}:9651`,
  publicIP: `203.0.113.${at % 256}:9651`,
  nodeID: nodeIdAt(at),
  version: `avalanchego/1.14.${at % 5}`,
  upgradeTime: 1_607_144_400,
  lastSent: '2026-11-22T01:53:04Z',
  lastReceived: '2026-11-22T01:53:04Z',
  observedUptime: '100',
  trackedSubnets: [primaryNetworkId, ...listOf(at % 16, idAt)],
  supportedACPs: [
    23, 24, 25, 30, 31, 41, 62, 77, 83, 99, 103, 108, 113, 118, 125, 126, 131, 151, 176, 181, 191, 194, 204, 209, 226,
  ],
  objectedACPs: [],
  benched: [],
});

const blockchain = (at: number): WireBlockchain => ({
  id: idAt(at),
  name: `chain ${at}`,
  subnetID: at < 2 ? primaryNetworkId : idAt(10_000 + at),
  vmID: idAt(20_000 + at),
});

const timestamp = (): string => new Date().toISOString();
const result = (duration = 16_996) => ({ timestamp: timestamp(), duration });

/** As on a node that has just started and sees none of the validators. */
const chainCheck = (disconnected: number) => ({
  message: {
    engine: {
      consensus: { lastAcceptedHeight: 3, lastAcceptedID: idAt(3), longestProcessingBlock: '0s', processingBlocks: 0 },
      vm: { database: null, health: 200 },
    },
    networking: { disconnectedValidators: listOf(disconnected, nodeIdAt), percentConnected: 1 },
  },
  ...result(),
});

/** 200 checks; about 110 KB without the list of disconnected validators. */
export const report = (disconnected = 0) => ({
  checks: {
    ...Object.fromEntries(['P', 'X', 'C'].map((chain) => [chain, chainCheck(disconnected)])),
    ...Object.fromEntries(listOf(60, (at) => [idAt(at), chainCheck(0)])),
    ...Object.fromEntries(
      listOf(137, (at) => [`check-${at}`, { message: 'all is well, and nothing is overdue. '.repeat(14), ...result() }]),
    ),
  },
  healthy: true,
});

const uptime = { rewardingStakePercentage: '100.0000', weightedAveragePercentage: '99.9988' };

/** By method. */
export const results: Readonly<Record<string, unknown>> = {
  'info.getNodeID': { nodeID: nodeIdAt(0) },
  'info.getNodeVersion': { version: 'avalanchego/1.14.2' },
  'info.getNetworkID': { networkID: '1' },
  'info.upgrades': { heliconTime: '9999-12-01T00:00:00Z', graniteTime: '2025-11-19T16:00:00Z' },
  'info.uptime': uptime,
  'info.peers': { numPeers: '2000', peers: listOf(2000, peer) },
  'platform.getBlockchains': { blockchains: listOf(1500, blockchain) },
  'platform.getCurrentValidators': { validators: listOf(1300, validator) },
};

/** The response for one NodeID contains its delegators. */
export const delegated = (count: number) => ({ validators: [{ ...validator(0), delegators: listOf(count, delegator) }] });

export const serveMainnetNode = (over: Readonly<Record<string, unknown>> = {}): Promise<Served> =>
  serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    response.setHeader('node-id', nodeIdAt(0));
    if (request.url?.startsWith('/ext/health') === true) return response.end(JSON.stringify(report()));
    const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly method: string };
    const result = over[method] ?? results[method];
    if (result === undefined || request.url?.startsWith('/ext/index') === true) return response.writeHead(404).end();
    return response.end(JSON.stringify({ jsonrpc: '2.0', result, id: 1 }));
  });
