// Targets that show everything the page can show, for visual and automated checks.

import type { Condition, ConditionReason, Target, Targets } from '../../src/conditions/condition.ts';
import type { ShownTransition } from '../../src/server/strip.ts';
import { emptyHistogram } from '../../src/snapshot/histogram.ts';
import { failing, fresh, measuredInterval, noon, passing, report, targetKnowing, targetOptions, targetsOf } from './snapshot.ts';

/** Would execute or load something if it were interpreted as markup. */
export const markup = `</script></style>"'><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload=window.pwned=1>&amp;<!--`;

const alpha = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

const chain = {
  engine: { consensus: { lastAcceptedHeight: 48_213, processingBlocks: 4 } },
  networking: { percentConnected: 0.62 },
};

const container = {
  id: '2SUG9uyigApNomQ2DYTD3TzpNfwZoQACW3cQP7yP8iGmDeq3yS',
  bytes: '0x',
  timestamp: '2026-11-20T11:59:58Z',
  encoding: 'hex',
};

const refused = { kind: 'refused', reason: 'ECONNREFUSED 127.0.0.1:9650' } as const;

/** A target in every kind of trouble, one that is gone and one that has not been polled. */
const troubledStates = (): Targets => {
  const options = targetOptions({
    tagSets: [
      { name: 'all', tags: [] },
      { name: 'alpha', tags: [alpha] },
      { name: 'beta', tags: ['29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL'] },
    ],
    indexes: ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'],
  });
  const well = {
    network: passing({ message: { connectedPeers: 24, sendFailRate: 0, timeSinceLastMsgReceived: '1.2s' } }),
    diskspace: passing({ message: { availableDiskBytes: 412_000_000_000, availableDiskPercentage: 71 } }),
    router: passing({ message: { outstandingRequests: 0, longestRunningRequest: '0s' } }),
  };
  const stuck = {
    'alpha-dex': failing('block processing too long: 1m32s > 30s', {
      message: chain,
      timeOfFirstFailure: noon - 92,
      contiguousFailures: 3,
    }),
  };
  const booting = {
    bootstrapped: failing('subnets not bootstrapped', {
      message: [alpha],
      timeOfFirstFailure: noon - 7260,
      contiguousFailures: 242,
    }),
  };
  const never = { 'beta-game': { error: 'not yet run', timestamp: 'never', contiguousFailures: 0 } as const };
  return targetsOf(
    targetKnowing(options, {
      nodeId: 'NodeID-8rQ3cJpJkPMeLKq2UYvNXsEgsAduK7N5',
      lastPoll: { at: noon - 2, answered: false, failures: [] },
      health: {
        all: fresh(report({ ...well, ...stuck, ...booting, ...never })),
        alpha: fresh(report({ ...well, ...stuck, ...booting })),
        beta: {
          state: 'stale',
          value: report({ ...well, ...never }),
          at: noon - 300,
          failure: { kind: 'timeout', afterMs: 5000 },
          failedAt: noon - 2,
        },
      },
      readiness: fresh(report({ bootstrapped: failing('subnets not bootstrapped') })),
      liveness: fresh(report({})),
      indexes: {
        'P/block': fresh({ state: 'ok', last: { ...container, index: 1_048_213n } }),
        'X/block': {
          state: 'stale',
          value: { state: 'ok', last: { ...container, index: 77n } },
          at: noon - 300,
          failure: refused,
          failedAt: noon - 2,
        },
        'C/block': fresh({ state: 'empty' }),
        'X/tx': { state: 'failed', failure: refused, failedAt: noon - 2 },
        'X/vtx': fresh({ state: 'historical', last: { ...container, index: 508_608n } }),
      },
      growth: new Map([
        [
          'P/block',
          [
            { count: 1_048_186n, at: noon - 65 },
            { count: 1_048_214n, at: noon - 5 },
          ],
        ],
      ]),
      interval: measuredInterval(30),
      clock: { lower: -12.5, upper: -11.5, at: noon },
      detectionDelay: emptyHistogram([1]),
    }),
    targetKnowing(targetOptions({ name: 'gone' }), {
      health: { all: { state: 'failed', failure: refused, failedAt: noon } },
      lastPoll: { at: noon - 2, answered: false, failures: [refused] },
    }),
    targetKnowing(targetOptions({ name: 'new' })),
  );
};

/** A fleet with a few failing targets in every hundred. */
export const fleet = (size = 120): Targets =>
  targetsOf(
    ...Array.from({ length: size }, (_, at) =>
      targetKnowing(
        targetOptions({
          name: `validator-${at}`,
          tagSets: [
            { name: 'all', tags: [] },
            { name: 'alpha', tags: [alpha] },
          ],
        }),
        {
          health: {
            all: fresh(report({ network: at % 20 === 7 ? failing('no peers') : passing() })),
            alpha: fresh(report({ network: passing() })),
          },
        },
      ),
    ),
  );

const condition = (
  status: Condition['status'],
  reason: ConditionReason,
  message: string,
  since: number,
  failureReasons: Condition['failureReasons'] = [],
): Condition => ({ status, reason, message, failureReasons, lastTransitionAt: noon - since });

/** With the conditions of an exporter that has watched them all along. */
export const troubledTargets = (): Targets => {
  const targets = troubledStates();
  const node = targets.get('node');
  if (node === undefined) throw new Error('the troubled target is not there');
  const notBootstrapped = 'bootstrapped: bootstrapping (subnets not bootstrapped), and one more';
  const timeout = condition('Unknown', 'NoResponse', 'no response within 5000 ms', 240);
  const unhealthy = condition('False', 'ChecksFailing', '3 of 6 checks fail', 7250, ['bootstrapping']);
  const conditions: Target['conditions'] = {
    ...node.conditions,
    started: condition('True', 'NodeResponding', 'the node responds', 7300),
    live: condition('True', 'NodeResponding', 'the node responds', 7300),
    ready: new Map([
      ['all', condition('False', 'ChecksFailing', notBootstrapped, 7200, ['bootstrapping'])],
      ['alpha', condition('False', 'ChecksFailing', 'bootstrapped: bootstrapping', 7200, ['bootstrapping'])],
      ['beta', timeout],
    ]),
    healthy: new Map([
      ['all', unhealthy],
      ['alpha', unhealthy],
      ['beta', timeout],
    ]),
    trueUntil: noon + 60,
  };
  return new Map(targets).set('node', { ...node, conditions });
};

/** Its events: a failure from before the start, one that recovered, one that flapped, and a restart. */
export const troubledTransitions = (target: string): readonly ShownTransition[] =>
  target !== 'node'
    ? []
    : [
        { kind: 'node-restarted', at: noon - 7300, message: 'its port was closed in between' },
        { kind: 'found-failing', at: noon - 7255, check: 'bootstrapped', to: 'failing', error: 'subnets not bootstrapped' },
        {
          kind: 'check',
          at: noon - 5000,
          check: 'diskspace',
          from: 'passing',
          to: 'failing',
          error: 'remaining available disk space is low',
        },
        {
          kind: 'check',
          at: noon - 4100,
          check: 'diskspace',
          from: 'failing',
          to: 'passing',
          error: 'remaining available disk space is low',
        },
        ...Array.from({ length: 40 }, (_, at) => ({
          kind: 'check',
          at: noon - 3000 + at * 15,
          check: 'network',
          from: at % 2 === 0 ? 'passing' : 'failing',
          to: at % 2 === 0 ? 'failing' : 'passing',
          error: markup,
        })),
        {
          kind: 'check',
          at: noon - 91,
          check: 'alpha-dex',
          from: 'passing',
          to: 'failing',
          error: 'block processing too long: 1m32s > 30s',
        },
      ];
