// Whether a validator may be restarted: the rules as a table, and their monotonicity.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { subnetGroupsOf } from '../../src/restart/groups.ts';
import { type JudgedRestart, judgeRestart, restartResult } from '../../src/restart/judge.ts';
import type { Duty, WatchedNode } from '../../src/restart/node.ts';
import { restartReasonTypes } from '../../src/restart/reason.ts';
import { l1, onTrack } from '../support/validators.ts';
import '../support/property-seed.ts';
import { cases } from '../support/cases.ts';

const duty = (given: Partial<Duty> = {}): Duty => ({
  subnet: primaryNetworkId,
  name: 'Primary Network',
  isCertain: true,
  isReady: true,
  isBootstrapping: false,
  ...given,
});

/** A healthy validator of the Primary Network of mainnet. */
const node = (name: string, given: Partial<WatchedNode> = {}): WatchedNode => ({
  name,
  key: `NodeID-${name}`,
  network: 'mainnet',
  duties: [duty()],
  unplacedChecks: 0,
  reward: onTrack(100_000),
  connected: 1,
  ...given,
});

const without = (name: 'network' | 'reward' | 'connected'): WatchedNode => {
  const { [name]: _, ...rest } = node('own');
  return rest;
};

const judge = (own: WatchedNode, others: readonly WatchedNode[] = [], seconds = 300): JudgedRestart => {
  const groups = subnetGroupsOf([own, ...others]);
  const judged = judgeRestart(own, groups, seconds);
  // The short form has the same result and message.
  const [first] = judged.reasons;
  const { result } = judged;
  expect(restartResult(own, groups, seconds)).toEqual({ result, ...(result !== 'safe' && { message: first?.message }) });
  return judged;
};

/** The result, with the types of the reasons for it. */
const said = ({ result, reasons }: JudgedRestart): string => {
  const types = reasons.filter((one) => one.result === result).map(({ type }) => type);
  return `${result}: ${types.join(' ')}`;
};

const unready = { duties: [duty({ isReady: false })] };
const ofL1 = (given: Partial<Duty> = {}) => ({ duties: [duty(), duty({ subnet: l1, name: 'my-l1', ...given })] });
const anyBut = (...subnets: readonly string[]) => ({ mayValidateAllBut: new Set(subnets) });
const maintenance = (isOwn: boolean) => ({ maintenance: { end: 1_800_000_000, reason: 'upgrade', isOwn } });

describe('a validator', () => {
  test.each<{ of: string; own?: WatchedNode; others?: readonly WatchedNode[]; is: string }>([
    { of: 'mainnet that is watched alone', is: 'safe: NoOthersWatched RewardOnTrack' },
    {
      of: 'a network of its own that is watched alone',
      own: node('own', { network: 'network-12345' }),
      is: 'unknown: NoOthersWatched',
    },
    { of: 'an L1 that is watched alone', own: node('own', ofL1()), is: 'unknown: NoOthersWatched' },
    { of: 'which the other one is ready', others: [node('a')], is: 'safe: OthersReady RewardOnTrack' },
    { of: 'which the other one is not ready', others: [node('a', unready)], is: 'unsafe: OthersNotReady' },
    { of: 'which one of two others is not ready', others: [node('a'), node('b', unready)], is: 'unsafe: OthersNotReady' },
    {
      of: 'which two of three others are ready',
      others: [node('a'), node('b'), node('c', unready)],
      is: 'safe: OthersReady RewardOnTrack',
    },
    {
      of: 'which the other one is ready, but not for the L1',
      own: node('own', ofL1()),
      others: [node('a', ofL1({ isReady: false }))],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'which the other one is the same node',
      others: [node('twin', { key: 'NodeID-own' })],
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    {
      of: 'which two others are one node',
      others: [node('a'), node('a-again', { key: 'NodeID-a' }), node('b', unready)],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'which another one is ready by two of its three targets',
      others: [node('a'), ...[unready, {}].map((one) => node('a-again', { key: 'NodeID-a', ...one }))],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'another network than the ready one',
      own: node('own', { network: 'network-7' }),
      others: [node('a')],
      is: 'unknown: NoOthersWatched',
    },
    {
      of: 'which one is not ready in another network',
      others: [node('a', { network: 'fuji', ...unready })],
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    {
      of: 'which the other one may be of any network',
      others: [{ ...without('network'), name: 'a', key: 'NodeID-a' }],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'which the other one may be none',
      others: [node('a', { duties: [duty({ isCertain: false })] })],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'which one is not ready, one may be none, and one is ready',
      others: [node('a'), node('b', unready), node('c', { duties: [duty({ isCertain: false })] })],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'which two are not ready, whatever the other two are',
      others: [node('a'), node('b', unready), node('c', unready), node('d', { duties: [duty({ isCertain: false })] })],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'an L1, of which one is ready, and another one may be',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b'), node('c', anyBut(primaryNetworkId))],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'an L1, of which two are ready, and another one may be',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b', ofL1()), node('c', anyBut(primaryNetworkId))],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    {
      of: 'an L1, of which one of another or an unknown network may be',
      own: node('own', ofL1()),
      others: [
        node('a', ofL1()),
        node('b', { network: 'fuji', ...anyBut(primaryNetworkId) }),
        { ...without('network'), name: 'c', key: 'NodeID-c', duties: [], ...anyBut(primaryNetworkId) },
      ],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'an L1, of which another one is none, whatever else it may validate',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b', anyBut(primaryNetworkId, l1))],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    {
      of: 'an L1, of which another one is none by one of its two targets',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b'), node('b-again', { key: 'NodeID-b', ...anyBut(primaryNetworkId) })],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    { of: 'beside a node that is none', others: [node('a', { duties: [] })], is: 'safe: NoOthersWatched RewardOnTrack' },
    {
      of: 'which another one bootstraps by one of its two targets',
      others: [node('a', { duties: [duty({ isBootstrapping: true })] }), node('a-again', { key: 'NodeID-a' })],
      is: 'unsafe: OthersBootstrapping',
    },
    {
      of: 'which another one is surely a validator by one of its two targets',
      others: [node('a', unready), node('a-again', { key: 'NodeID-a', duties: [duty({ isCertain: false })] })],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'of which only one of the two targets of another one knows the network',
      others: [node('a'), { ...without('network'), name: 'a-again', key: 'NodeID-a' }],
      is: 'safe: OthersReady RewardOnTrack',
    },
    {
      of: 'beside a target of an unknown network, while two others of its node disagree',
      others: [
        node('a'),
        node('a-fuji', { key: 'NodeID-a', network: 'fuji' }),
        { ...without('network'), name: 'a-again', key: 'NodeID-a' },
      ],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'which another one bootstraps, and most are ready',
      others: [node('a'), node('b'), node('c', { duties: [duty({ isReady: false, isBootstrapping: true })] })],
      is: 'unsafe: OthersBootstrapping',
    },
    {
      of: 'beside one that bootstraps another subnet',
      others: [node('a'), node('b', { duties: [duty({ subnet: l1, isBootstrapping: true })] })],
      is: 'safe: OthersReady RewardOnTrack',
    },
    { of: 'which the other one is in maintenance', others: [node('a', maintenance(true))], is: 'unsafe: OthersNotReady' },
    {
      of: 'beside one, in a window of all targets',
      others: [node('a', maintenance(false))],
      is: 'safe: OthersReady RewardOnTrack',
    },
    {
      of: 'in its own maintenance window',
      own: node('own', maintenance(true)),
      is: 'safe: NoOthersWatched RewardOnTrack MaintenanceOpen',
    },
    { of: 'that bootstraps', own: node('own', { duties: [duty({ isBootstrapping: true })] }), is: 'unsafe: Bootstrapping' },
    {
      of: 'of which nothing new is known',
      own: node('own', { doubt: 'the node was last polled 5 min ago' }),
      is: 'unknown: StateUnknown',
    },
    { of: 'of an unknown network', own: without('network'), is: 'unknown: NetworkUnknown NoOthersWatched' },
    { of: 'that may be none', own: node('own', { duties: [duty({ isCertain: false })] }), is: 'unknown: MembershipUnknown' },
    { of: 'with a chain of an unknown subnet', own: node('own', { unplacedChecks: 1 }), is: 'unknown: SubnetsUnknown' },
    { of: 'with little connected stake', own: node('own', { connected: 0.79 }), is: 'unknown: ConnectedStakeLow' },
    { of: 'with just enough connected stake', own: node('own', { connected: 0.8 }), is: 'safe: NoOthersWatched RewardOnTrack' },
    { of: 'with an unknown connected stake', own: without('connected'), is: 'unknown: ConnectedStakeLow' },
    { of: 'whose reward is not known', own: without('reward'), is: 'unknown: RewardUnknown' },
    {
      of: 'whose reward is unknown',
      own: node('own', { reward: { state: 'unknown', reason: 'RequirementUnknown' } }),
      is: 'unknown: RewardUnknown',
    },
    {
      of: 'whose reward is at risk, with budget left',
      own: node('own', { reward: { ...onTrack(100_000), state: 'at-risk', reason: 'RewardingStakeLow' } }),
      is: 'unsafe: RewardAtRisk',
    },
    {
      of: 'whose reward is lost',
      own: node('own', { reward: { state: 'lost', reason: 'RequirementOutOfReach' } }),
      is: 'safe: NoOthersWatched RewardLost',
    },
    {
      of: 'that would spend half of its budget',
      own: node('own', { reward: onTrack(600) }),
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    { of: 'that would spend more than half of it', own: node('own', { reward: onTrack(599) }), is: 'unsafe: BudgetTooSmall' },
    {
      of: 'an L1 alone, which earns no reward',
      own: node('own', {
        duties: [duty({ subnet: l1, name: 'my-l1' })],
        reward: { state: 'not-validator', reason: 'NotValidator' },
      }),
      others: [node('a', ofL1())],
      is: 'safe: OthersReady',
    },
    {
      of: 'another key than is expected',
      own: node('own', { unexpected: 'its NodeID is other' }),
      is: 'unsafe: IdentityUnexpected',
    },
    { of: 'nothing', own: node('own', { duties: [] }), is: 'safe: NotValidator' },
    {
      of: 'that is unsafe and unknown for something else',
      own: node('own', { connected: 0.1 }),
      others: [node('a', unready)],
      is: 'unsafe: OthersNotReady',
    },
  ])('of $of is $is', ({ own = node('own'), others = [], is }) => {
    expect(said(judge(own, others))).toBe(is);
  });

  test('gets the allowed duration and the share of its budget', () => {
    expect(judge(node('own', { reward: onTrack(1200) }))).toMatchObject({ allowedSeconds: 600, budgetShare: 0.25 });
    const { allowedSeconds, budgetShare } = judge(node('own', { duties: [] }));
    expect([allowedSeconds, budgetShare]).toEqual([undefined, undefined]);
  });

  test('gets the names of validators that are not ready, and the number of ready ones per subnet', () => {
    const others = ['a', 'b', 'c', 'd', 'e'].map((name) => node(name, name === 'a' ? maintenance(true) : unready));
    const { reasons, subnets } = judge(node('own', unready), others);
    expect(reasons[0]?.message).toBe(
      'Primary Network: 0 of 5 other watched validators are ready, more than half are required; not ready: a (in maintenance), b, c',
    );
    expect(subnets).toEqual([{ subnet: primaryNetworkId, name: 'Primary Network', others: 5, ready: 0 }]);
  });
});

const anyDuty = fc.record({
  subnet: fc.constantFrom(primaryNetworkId, l1),
  name: fc.constant('a subnet'),
  isCertain: fc.boolean(),
  isReady: fc.boolean(),
  isBootstrapping: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});

const anyNode: fc.Arbitrary<WatchedNode> = fc
  .record({
    key: fc.integer({ min: 0, max: 5 }).map((one) => `NodeID-${one}`),
    network: fc.constantFrom('mainnet', 'network-7', undefined),
    duties: fc.uniqueArray(anyDuty, { selector: ({ subnet }) => subnet, maxLength: 2 }),
    connected: fc.constantFrom(0.5, 1),
    reward: fc.integer({ min: 0, max: 2000 }).map(onTrack),
    isInMaintenance: fc.boolean(),
  })
  .map(({ network, isInMaintenance, ...rest }) => ({
    name: rest.key,
    ...rest,
    unplacedChecks: 0,
    ...(network !== undefined && { network }),
    ...(isInMaintenance && maintenance(true)),
  }));

const worlds = fc.record({
  own: anyNode,
  others: fc.array(anyNode, { maxLength: 6 }),
  seconds: fc.integer({ min: 1, max: 1000 }),
});

describe('for any watched nodes', () => {
  test('one more ready node does not change the result from safe', () => {
    let safe = 0;
    const added = { key: 'NodeID-new', duties: [duty(), duty({ subnet: l1 })] };
    fc.assert(
      fc.property(worlds, ({ own, others, seconds }) => {
        const more = [...others, node('new', { ...added, network: own.network ?? 'mainnet' })];
        const [before, after] = [judge(own, others, seconds).result, judge(own, more, seconds).result];
        if (before === 'safe') safe += 1;
        expect(before === 'safe' && after !== 'safe').toBe(false);
      }),
      { numRuns: cases(1000) },
    );
    expect(safe).toBeGreaterThan(20);
  });

  test('less budget or a longer restart does not change the result to safe', () => {
    let unsafe = 0;
    fc.assert(
      fc.property(worlds, fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 500 }), (world, budget, longer) => {
        const { own, others, seconds } = world;
        const [{ result: before }, { result: after }] = [
          judge({ ...own, reward: onTrack(budget) }, others, seconds),
          judge({ ...own, reward: onTrack(budget / 2) }, others, seconds + longer),
        ];
        if (before !== 'safe') unsafe += 1;
        expect(before !== 'safe' && after === 'safe').toBe(false);
      }),
      { numRuns: cases(1000) },
    );
    expect(unsafe).toBeGreaterThan(100);
  });
});

test('docs/safe-to-restart.md explains every reason, and no other', () => {
  const docs = readFileSync(new URL('../../docs/safe-to-restart.md', import.meta.url), 'utf8');
  const rows = docs.match(/^\| `[A-Z].*?\|/gm) ?? [];
  const explained = rows.flatMap((row) => Array.from(row.matchAll(/`(\w+)`/g), ([, name]) => name));
  expect(explained.toSorted()).toEqual(restartReasonTypes.toSorted());
});
