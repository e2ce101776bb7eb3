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
    { of: 'of mainnet without other watched validators', is: 'safe: NoOthersWatched RewardOnTrack' },
    {
      of: 'of a custom network without other watched validators',
      own: node('own', { network: 'network-12345' }),
      is: 'unknown: NoOthersWatched',
    },
    { of: 'of an L1 without other watched validators', own: node('own', ofL1()), is: 'unknown: NoOthersWatched' },
    { of: 'whose only other validator is ready', others: [node('a')], is: 'safe: OthersReady RewardOnTrack' },
    { of: 'whose only other validator is not ready', others: [node('a', unready)], is: 'unsafe: OthersNotReady' },
    { of: 'with one of two others not ready', others: [node('a'), node('b', unready)], is: 'unsafe: OthersNotReady' },
    {
      of: 'with two of three others ready',
      others: [node('a'), node('b'), node('c', unready)],
      is: 'safe: OthersReady RewardOnTrack',
    },
    {
      of: 'of an L1 whose only other validator is ready, but not for the L1',
      own: node('own', ofL1()),
      others: [node('a', ofL1({ isReady: false }))],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'that is watched as two targets',
      others: [node('twin', { key: 'NodeID-own' })],
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    {
      of: 'with one of two others not ready, and the ready one watched as two targets',
      others: [node('a'), node('a-again', { key: 'NodeID-a' }), node('b', unready)],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'whose only other validator is not ready on one of its three targets',
      others: [node('a'), ...[unready, {}].map((one) => node('a-again', { key: 'NodeID-a', ...one }))],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'of another network than the ready one',
      own: node('own', { network: 'network-7' }),
      others: [node('a')],
      is: 'unknown: NoOthersWatched',
    },
    {
      of: 'with a validator of another network that is not ready',
      others: [node('a', { network: 'fuji', ...unready })],
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    {
      of: 'whose only other validator has an unknown network',
      others: [{ ...without('network'), name: 'a', key: 'NodeID-a' }],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'whose only other node may not be a validator',
      others: [node('a', { duties: [duty({ isCertain: false })] })],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'with one ready other, one not ready, and one that may not be a validator',
      others: [node('a'), node('b', unready), node('c', { duties: [duty({ isCertain: false })] })],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'with two of four others not ready, whatever the other two are',
      others: [node('a'), node('b', unready), node('c', unready), node('d', { duties: [duty({ isCertain: false })] })],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'of an L1 with one ready other, and one that may validate it',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b'), node('c', anyBut(primaryNetworkId))],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'of an L1 with two ready others, and one that may validate it',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b', ofL1()), node('c', anyBut(primaryNetworkId))],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    {
      of: 'of an L1 with one ready other, and nodes of another and an unknown network that may validate it',
      own: node('own', ofL1()),
      others: [
        node('a', ofL1()),
        node('b', { network: 'fuji', ...anyBut(primaryNetworkId) }),
        { ...without('network'), name: 'c', key: 'NodeID-c', duties: [], ...anyBut(primaryNetworkId) },
      ],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'of an L1 with one ready other, and one that does not validate it, whatever else it validates',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b', anyBut(primaryNetworkId, l1))],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    {
      of: 'of an L1 with one ready other, and one that may validate it by only one of its two targets',
      own: node('own', ofL1()),
      others: [node('a', ofL1()), node('b'), node('b-again', { key: 'NodeID-b', ...anyBut(primaryNetworkId) })],
      is: 'safe: OthersReady OthersReady RewardOnTrack',
    },
    {
      of: 'next to a node that is not a validator',
      others: [node('a', { duties: [] })],
      is: 'safe: NoOthersWatched RewardOnTrack',
    },
    {
      of: 'whose only other validator bootstraps on one of its two targets',
      others: [node('a', { duties: [duty({ isBootstrapping: true })] }), node('a-again', { key: 'NodeID-a' })],
      is: 'unsafe: OthersBootstrapping',
    },
    {
      of: 'whose only other validator is not ready, and certain on only one of its two targets',
      others: [node('a', unready), node('a-again', { key: 'NodeID-a', duties: [duty({ isCertain: false })] })],
      is: 'unsafe: OthersNotReady',
    },
    {
      of: 'whose only other validator has a known network on only one of its two targets',
      others: [node('a'), { ...without('network'), name: 'a-again', key: 'NodeID-a' }],
      is: 'safe: OthersReady RewardOnTrack',
    },
    {
      of: 'next to a target of an unknown network, if two other targets of its node disagree',
      others: [
        node('a'),
        node('a-fuji', { key: 'NodeID-a', network: 'fuji' }),
        { ...without('network'), name: 'a-again', key: 'NodeID-a' },
      ],
      is: 'unknown: OthersUnknown',
    },
    {
      of: 'with one bootstrapping other, although most are ready',
      others: [node('a'), node('b'), node('c', { duties: [duty({ isReady: false, isBootstrapping: true })] })],
      is: 'unsafe: OthersBootstrapping',
    },
    {
      of: 'next to a validator that bootstraps another subnet',
      others: [node('a'), node('b', { duties: [duty({ subnet: l1, isBootstrapping: true })] })],
      is: 'safe: OthersReady RewardOnTrack',
    },
    { of: 'whose only other validator is in maintenance', others: [node('a', maintenance(true))], is: 'unsafe: OthersNotReady' },
    {
      of: 'whose only other validator is in a maintenance window of all targets',
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
      of: 'whose state is outdated',
      own: node('own', { doubt: 'the node was last polled 5 min ago' }),
      is: 'unknown: StateUnknown',
    },
    { of: 'of an unknown network', own: without('network'), is: 'unknown: NetworkUnknown NoOthersWatched' },
    {
      of: 'that may not be a validator',
      own: node('own', { duties: [duty({ isCertain: false })] }),
      is: 'unknown: MembershipUnknown',
    },
    { of: 'with a chain of an unknown subnet', own: node('own', { unplacedChecks: 1 }), is: 'unknown: SubnetsUnknown' },
    { of: 'with little connected stake', own: node('own', { connected: 0.79 }), is: 'unknown: ConnectedStakeLow' },
    { of: 'with just enough connected stake', own: node('own', { connected: 0.8 }), is: 'safe: NoOthersWatched RewardOnTrack' },
    { of: 'with an unknown connected stake', own: without('connected'), is: 'unknown: ConnectedStakeLow' },
    { of: 'without reward data', own: without('reward'), is: 'unknown: RewardUnknown' },
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
    {
      of: 'that would spend more than half of its budget',
      own: node('own', { reward: onTrack(599) }),
      is: 'unsafe: BudgetTooSmall',
    },
    {
      of: 'of only an L1, which earns no reward',
      own: node('own', {
        duties: [duty({ subnet: l1, name: 'my-l1' })],
        reward: { state: 'not-validator', reason: 'NotValidator' },
      }),
      others: [node('a', ofL1())],
      is: 'safe: OthersReady',
    },
    {
      of: 'with an unexpected NodeID',
      own: node('own', { unexpected: 'its NodeID is other' }),
      is: 'unsafe: IdentityUnexpected',
    },
    { of: 'without duties', own: node('own', { duties: [] }), is: 'safe: NotValidator' },
    {
      of: 'that is unsafe for one reason and unknown for another',
      own: node('own', { connected: 0.1 }),
      others: [node('a', unready)],
      is: 'unsafe: OthersNotReady',
    },
  ])('$of is $is', ({ own = node('own'), others = [], is }) => {
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
