// A model of a node over a year: its responses are a pure function of its number and the time, so a test can predict each page. Its checks
// run once per interval; it restarts, hangs, fails, freezes, renames a check, and validates new subnets.

import { idOf } from '../../src/protocol/id.ts';
import { healthPaths, indexPath, servicePaths } from '../../src/protocol/paths.ts';
import { encodeHex } from '../support/hex.ts';
import { randomOf } from '../support/random.ts';

export interface Pace {
  /** Seconds between two runs of its checks. */
  readonly interval: number;
  /** Seconds from one name of a check to the next, and from one subnet to the next. */
  readonly renamedEvery: number;
  readonly subnetEvery: number;
}

/** `part`: fraction of windows of eight intervals that begin with this fault; `runs`: intervals that it lasts. */
const faults = [
  { kind: 'down', part: 0.02, runs: 2 },
  { kind: 'silent', part: 0.015, runs: 3 },
  { kind: 'garbage', part: 0.01, runs: 1 },
  { kind: 'malformed', part: 0.01, runs: 1 },
  { kind: 'status', part: 0.01, runs: 2 },
  { kind: 'frozen', part: 0.02, runs: 5 },
  { kind: 'other-node', part: 0.003, runs: 2 },
  { kind: 'failing', part: 0.08, runs: 4 },
  { kind: 'flapping', part: 0.03, runs: 8 },
] as const;

export type Fault = (typeof faults)[number]['kind'];

/** Faults during which the node sends reports. */
const answering: ReadonlySet<Fault> = new Set(['frozen', 'failing', 'flapping', 'other-node']);

export interface Question {
  readonly path: string;
  readonly tags: readonly string[];
  readonly rpc?: { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
}

export interface Served {
  readonly status: number;
  readonly body: string;
  readonly nodeId: string;
}

export type ModelNode = ReturnType<typeof modelNode>;

const iso = (at: number): string => new Date(at * 1000).toISOString();

const windowRuns = 8;

export const modelNode = (nth: number, { interval, renamedEvery, subnetEvery }: Pace) => {
  const nodeIds = [0, 1].map((which) => `NodeID-${idOf(Buffer.from(`node ${nth} ${which}`)).slice(0, 33)}`);
  const phase = ((nth * 0.618034) % 1) * interval;
  const window = windowRuns * interval;

  const faultOf = (number: number): { readonly kind: Fault; readonly from: number; readonly to: number } | undefined => {
    let left = randomOf(nth * 7919 + number)();
    for (const { kind, part, runs } of faults) {
      left -= part;
      if (left < 0) return { kind, from: number * window, to: number * window + runs * interval };
    }
    return undefined;
  };
  const faultAt = (at: number) => {
    const fault = faultOf(Math.floor(at / window));
    return fault !== undefined && at < fault.to ? fault : undefined;
  };
  const faultsFrom = (from: number, to: number): ReadonlySet<Fault> => {
    const kinds = new Set<Fault>();
    for (let at = from; at < to + interval; at += interval) {
      const kind = faultAt(Math.min(at, to))?.kind;
      if (kind !== undefined) kinds.add(kind);
    }
    return kinds;
  };
  /** Start of the current process, as far back as its responses depend on it. */
  const startedBy = (at: number): number => {
    const number = Math.floor(at / window);
    for (let back = 0; back < 100; back += 1) {
      const fault = faultOf(number - back);
      if (fault?.kind === 'down' && fault.to <= at) return fault.to;
    }
    return 0;
  };
  const runBy = (at: number): number => Math.floor((at - phase) / interval) * interval + phase;

  /** The check of each subnet by the subnet's id, for the last two subnets. */
  const subnetsAt = (at: number): ReadonlyMap<string, string> => {
    const last = Math.floor(at / subnetEvery + nth / 7);
    return new Map([last - 1, last].map((one) => [subnetId(one), chainId(one)]));
  };
  const ownChecks = (at: number): readonly string[] => [
    ...['bls', 'bootstrapped', 'database', 'diskspace', 'network', 'router'],
    `validation-${Math.floor(at / renamedEvery + nth / 11)}`,
  ];
  const namesAt = (at: number, tags: readonly string[] = []): readonly string[] => {
    const chains = [...subnetsAt(at)].filter(([subnet]) => tags.length === 0 || tags.includes(subnet));
    return [...ownChecks(at), ...(tags.length === 0 ? ['P', 'X', 'C'] : []), ...chains.map(([, chain]) => chain)];
  };
  const height = (at: number): number => Math.floor(at / interval) % 1_000_000;
  const messageOf = (check: string, at: number): unknown => messages[check] ?? (check.length < 3 ? chainMessage(height(at)) : {});

  const report = (at: number, names: readonly string[]): Served => {
    const fault = faultAt(at);
    const started = startedBy(at);
    const ran = Math.max(started, runBy(fault?.kind === 'frozen' ? fault.from : at));
    const fails = fault?.kind === 'failing' || (fault?.kind === 'flapping' && Math.floor(at / interval) % 2 === 0);
    const checks = names.map((name) => {
      const result = { message: messageOf(name, at), timestamp: iso(ran), duration: 100_000 + (Math.floor(ran) % 1000) };
      const isFailing = fails && name === (nth % 2 === 0 ? 'diskspace' : 'P');
      return [name, isFailing ? { ...result, ...failure(name, fault?.from ?? at, ran, interval) } : result] as const;
    });
    const healthy = !fails;
    return answer(at, JSON.stringify({ checks: Object.fromEntries(checks), healthy }), healthy ? 200 : 503);
  };
  const readiness = (at: number): Served => {
    const timestamp = iso(startedBy(at));
    return answer(at, JSON.stringify({ checks: { bootstrapped: { message: [], timestamp, duration: 1000 } }, healthy: true }));
  };
  const nodeIdAt = (at: number): string => nodeIds[faultAt(at)?.kind === 'other-node' ? 1 : 0] ?? '';
  const answer = (at: number, body: string, status = 200): Served => ({ status, body, nodeId: nodeIdAt(at) });

  const results: Readonly<Record<string, (at: number, params: Readonly<Record<string, unknown>>) => unknown>> = {
    'info.getNodeID': (at) => ({ nodeID: nodeIdAt(at) }),
    'info.getNodeVersion': (at) => ({ version: `avalanchego/1.14.${Math.floor(at / renamedEvery) % 10}` }),
    'info.getNetworkID': () => ({ networkID: '1' }),
    'info.upgrades': () => ({ heliconTime: '2030-01-01T00:00:00Z' }),
    'info.peers': (at) => ({
      peers: [1, 2, 3].map((one) => ({ version: 'avalanchego/1.14.2', observedUptime: `${90 + (height(at) % one)}` })),
    }),
    'info.uptime': () => ({ rewardingStakePercentage: '100.0000', weightedAveragePercentage: '99.1234' }),
    'platform.getCurrentValidators': (at, { subnetID }) => {
      const row = { nodeID: nodeIdAt(at), weight: '2000', startTime: '1700000000', endTime: '2000000000', potentialReward: '5' };
      return { validators: subnetID === undefined ? [row] : [] };
    },
    'platform.getBlockchains': (at) => ({
      blockchains: [...subnetsAt(at)].map(([subnetID, id]) => ({ id, subnetID, name: `chain ${id.slice(0, 4)}`, vmID: 'vm' })),
    }),
    'index.getLastAccepted': (at) => containerOf(height(at)),
    'index.getContainerByIndex': (_, { index }) => containerOf(Number(index)),
    'index.getContainerRange': (at, { startIndex, numToFetch }) => {
      const many = Math.min(Number(numToFetch), height(at) + 1 - Number(startIndex));
      return { containers: Array.from({ length: Math.max(0, many) }, (_, one) => containerOf(Number(startIndex) + one)) };
    },
    'index.getIndex': (at, { id }) => ({ index: `${numberOf(String(id), height(at))}` }),
    'index.isAccepted': () => ({ isAccepted: true }),
  };
  const rpc = (at: number, { method, params }: NonNullable<Question['rpc']>): Served => {
    const result = results[method];
    const error = { code: -32_000, message: `rpc: can't find method "${method}"` };
    return answer(
      at,
      JSON.stringify({ jsonrpc: '2.0', id: 1, ...(result === undefined ? { error } : { result: result(at, params) }) }),
    );
  };
  const served = (at: number, { path, tags, rpc: asked }: Question): Served => {
    if (asked !== undefined) return servedPaths.has(path) ? rpc(at, asked) : answer(at, '404 page not found', 404);
    if (path === healthPaths.health) return report(at, namesAt(at, tags));
    return path === healthPaths.readiness ? readiness(at) : answer(at, '{"checks":{},"healthy":true}');
  };

  return {
    /** `down`: nothing listens · `silent`: no response. */
    answer: (at: number, question: Question): Served | 'down' | 'silent' => {
      const fault = faultAt(at)?.kind;
      if (fault === 'down' || fault === 'silent') return fault;
      if (fault === 'garbage') return answer(at, '<html>');
      if (fault === 'malformed') return answer(at, '{"checks":3,"jsonrpc":7}');
      return fault === 'status' ? answer(at, 'oops', 500) : served(at, question);
    },
    isDown: (at: number): boolean => faultAt(at)?.kind === 'down',
    /** The checks of the untagged report. */
    namesAt: (at: number) => namesAt(at),
    faultsFrom,
    /** Whether it responds to every report request in this time. */
    answersFrom: (from: number, to: number): boolean => [...faultsFrom(from, to)].every((kind) => answering.has(kind)),
  };
};

const ids = new Map<string, string>();

/** Cached: few at a time are requested again and again. */
const idOfText = (text: string): string => {
  const id = ids.get(text) ?? idOf(Buffer.from(text));
  if (ids.size >= 200) ids.clear();
  ids.set(text, id);
  return id;
};
const subnetId = (nth: number): string => idOfText(`subnet ${nth}`);
const chainId = (nth: number): string => idOfText(`chain ${nth}`);

const servedPaths: ReadonlySet<string> = new Set([servicePaths.info, servicePaths.platform, indexPath('P/block')]);

const failure = (check: string, from: number, ran: number, interval: number) => ({
  error: `${check} failed in its run of ${iso(ran)}`,
  contiguousFailures: Math.max(1, Math.floor((ran - from) / interval)),
  timeOfFirstFailure: iso(from),
});

interface Made {
  readonly id: string;
  readonly index: string;
}

const made = new Map<number, Made>();

/** Cached: the same for every node, and most nodes request it at the same time. */
const containerOf = (number: number): Made => {
  const bytes = Buffer.from(`container ${number}`);
  const known = made.get(number);
  if (known !== undefined) return known;
  const one = {
    id: idOf(bytes),
    bytes: encodeHex(bytes),
    timestamp: '2026-01-02T03:04:05Z',
    encoding: 'hex',
    index: `${number}`,
  };
  if (made.size >= 200) made.clear();
  made.set(number, one);
  return one;
};

/** Index of one of the last containers. */
const numberOf = (id: string, height: number): number => {
  for (let number = height; number > height - 100; number -= 1) if (containerOf(number).id === id) return number;
  return 0;
};

const chainMessage = (height: number) => ({
  engine: {
    consensus: {
      lastAcceptedHeight: height + 1,
      lastAcceptedID: containerOf(height).id,
      longestProcessingBlock: '0s',
      processingBlocks: 0,
    },
    vm: null,
  },
  networking: { percentConnected: 0.9987 },
});

const messages: Readonly<Record<string, unknown>> = {
  bls: 'node has the correct BLS key',
  bootstrapped: [],
  diskspace: { availableDiskBytes: 123_456_789_012, availableDiskPercentage: 67 },
  network: { connectedPeers: 23, sendFailRate: 0, timeSinceLastMsgReceived: '164.5ms', timeSinceLastMsgSent: '164.5ms' },
  router: { longestRunningRequest: '0s', outstandingRequests: 0 },
};
