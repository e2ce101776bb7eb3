// A target with a sample in every metric family.

import type { Container } from '../../src/protocol/container.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { Validator } from '../../src/protocol/platform.ts';
import { emptyHistogram, record } from '../../src/snapshot/histogram.ts';
import { unverified, type Verification } from '../../src/sources/indexes/verification.ts';
import type { InfoState } from '../../src/sources/info/state.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { assessReward } from '../../src/sources/validator/reward.ts';
import type { ValidatorState } from '../../src/sources/validator/state.ts';
import { parseHealthReport } from './reports.ts';
import { fresh, measuredInterval, noon, stillSince, targetKnowing, targetOptions } from './snapshot.ts';

const run = { timestamp: '2026-11-20T11:59:50Z', duration: 5000 };
const consensus = { lastAcceptedHeight: 7, lastAcceptedID: '2SUG', longestProcessingBlock: '0s', processingBlocks: 0 };
const networking = { percentConnected: 1, disconnectedValidators: [] };

const checks = {
  P: { ...run, message: { engine: { consensus, vm: { health: 200 } }, networking } },
  network: {
    ...run,
    message: { connectedPeers: 3, sendFailRate: 0, timeSinceLastMsgReceived: '1s', timeSinceLastMsgSent: '2s' },
  },
  diskspace: {
    ...run,
    message: { availableDiskBytes: 1e9, availableDiskPercentage: 5 },
    error: 'remaining available disk space percentage (5%) is below the warning threshold',
    contiguousFailures: 2,
    timeOfFirstFailure: '2026-11-20T11:59:00Z',
  },
  router: { ...run, message: { outstandingRequests: 1, longestRunningRequest: '3s' } },
  bootstrapped: { ...run, message: [] },
  futureupgrade: {
    ...run,
    message: {
      modeUpgradeTime: '2026-12-01T00:00:00Z',
      localUpgradeTime: '2026-12-02T00:00:00Z',
      modeUpgradeWeightPercentage: 62.5,
      timeUntilUpgrade: '252h0m0s',
    },
  },
  talkative: { ...run, message: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`field${at}`, at])) },
};

const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`zz${at}`, run]));

const richVerification = (last: Container): Verification => ({
  ...unverified,
  chain: { compared: { block: { height: 42n, id: last.id }, number: 41n, drift: 0n, agrees: true, at: noon - 5 } },
  following: { tail: { number: last.index, last, at: noon - 5 }, rangeSize: 64 },
});

const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

export const richInfo: InfoState = {
  api: fresh({ state: 'on', nodeId }),
  version: fresh('avalanchego/1.14.2'),
  network: fresh('fuji'),
  upgrades: fresh({ next: { name: 'helicon', at: noon + 60 } }),
  peers: fresh({ counts: new Map([['avalanchego/1.14.2', 2]]), newer: 0 }),
  unanswered: 0,
};

const ownRecord: Validator = {
  nodeId,
  weight: 2n,
  startTime: noon - 60,
  endTime: noon + 60,
  potentialReward: 3n,
  delegatorCount: 1,
  delegatorWeight: 4n,
};
const l1: Validator = { nodeId, validationId: '2SUG', weight: 5n, balance: 6n };
const subnet = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

const seen = { weighted: 0.99, rewarding: 1, connected: 1 };

export const richValidator: ValidatorState = {
  expected: true,
  nodeId,
  uptime: fresh({ state: 'seen', ...seen }),
  helicon: fresh({}),
  memberships: new Map([
    [primaryNetworkId, fresh({ state: 'validator', record: ownRecord })],
    [subnet, fresh({ state: 'validator', record: l1 })],
  ]),
  feePrice: fresh(2),
  sightings: fresh(new Map()),
  reward: fresh({
    ...assessReward({ isValidator: true, period: { start: noon - 60, end: noon + 60 }, requirement: 0.8, view: seen, now: noon }),
    connected: 0.99,
    witness: { target: 'other', uptime: 0.99 },
  }),
  unconnected: 0,
  unanswered: 0,
};

export const richTarget = (): TargetState => {
  const options = targetOptions({
    tagSets: [
      { name: 'all', tags: [] },
      { name: 'l1', tags: ['2bRC'] },
    ],
    writtenTagSets: [{ name: 'all', tags: [] }],
    indexes: ['P/block'],
    nodeId,
  });
  const container = { id: '2SUG', bytes: '0x', timestamp: '2026-11-20T11:59:50Z', encoding: 'hex', index: 41n };
  return targetKnowing(options, {
    lastPoll: { at: noon, answered: true, failures: [] },
    health: {
      all: fresh(parseHealthReport({ checks: { ...checks, ...many }, healthy: false })),
      l1: fresh(parseHealthReport({ checks, healthy: false })),
    },
    readiness: fresh(parseHealthReport({ checks: {}, healthy: true })),
    liveness: fresh(parseHealthReport({ checks: {}, healthy: true })),
    indexes: { 'P/block': fresh({ state: 'ok', last: container }) },
    verifications: new Map([['P/block', richVerification(container)]]),
    transitions: new Map([['P', { passing: 0, failing: 0, last: 'passing' }]]),
    interval: measuredInterval(30),
    countsRuns: true,
    clock: { lower: -0.5, upper: 0.5, at: noon },
    progress: stillSince(noon - 200, 5),
    tags: { adds: new Map([['2bRC', true]]), toAsk: 0, open: [] },
    runMark: { lastRun: noon - 10, mark: noon - 100 },
    nodeId,
    info: richInfo,
    validator: richValidator,
    detectionDelay: record(emptyHistogram([1]), 0.5),
  });
};
