// What validators observe of each other, and the uptime that follows, compared with counting second by second.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../../support/property-seed.ts';
import { isStakingAt, type Outage, type Staker, uptimeRequirementOf } from '../../../src/node/platform/stake-network.ts';
import { networkView, wholePercent } from '../../../src/node/platform/votes.ts';
import {
  drawOutages,
  networkObservationsOf,
  observedNetwork,
  recordedUptime,
  rewardVote,
  standingAt,
} from '../../support/stake-network.ts';

const names = ['a', 'b', 'c', 'd'];
const seconds = 60;
const instant = fc.integer({ min: 0, max: seconds });

const outage = fc
  .record({
    nodeId: fc.constantFrom(...names),
    from: instant,
    to: instant,
    hiddenFrom: fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), { nil: undefined }),
  })
  .map(({ hiddenFrom, ...rest }): Outage => (hiddenFrom === undefined ? rest : { ...rest, hiddenFrom: new Set(hiddenFrom) }));

const stakers = fc
  .tuple(
    ...names.map(() =>
      fc.record({ stake: fc.bigInt({ min: 1n, max: 10n ** 15n }), from: instant, length: fc.integer({ min: 1, max: seconds }) }),
    ),
  )
  .map((drawn) =>
    drawn.map(
      ({ stake, from, length }, at): Staker => ({
        nodeId: names[at] ?? '',
        stake,
        delegated: stake / 3n,
        startTime: from,
        endTime: from + length,
      }),
    ),
  );

const outages = fc.array(outage, { maxLength: 12 });

/** The actual state in one second. */
const isDown = (all: readonly Outage[], nodeId: string, at: number): boolean =>
  all.some((one) => one.nodeId === nodeId && one.hiddenFrom === undefined && one.from <= at && at < one.to);
const isCut = (all: readonly Outage[], one: string, other: string, at: number): boolean =>
  all.some(({ nodeId, hiddenFrom, from, to }) => nodeId === one && hiddenFrom?.has(other) === true && from <= at && at < to);
const isUnseen = (all: readonly Outage[], observer: string, subject: string, at: number): boolean =>
  !isDown(all, observer, at) &&
  (isDown(all, subject, at) || isCut(all, observer, subject, at) || isCut(all, subject, observer, at));

describe('observations', () => {
  test('agree with counting second by second; seconds in which the observer was down count as seen', () => {
    fc.assert(
      fc.property(outages, stakers, fc.constantFrom(...names), instant, (all, [subject], observer, at) => {
        if (subject === undefined || observer === subject.nodeId) return;
        const end = Math.min(at, subject.endTime);
        const span = Array.from({ length: Math.max(0, end - subject.startTime) }, (_, nth) => subject.startTime + nth);
        const unseen = span.filter((second) => isUnseen(all, observer, subject.nodeId, second)).length;
        const expected = span.length === 0 ? 1 : 1 - unseen / span.length;
        expect(networkObservationsOf({ outages: all }).seen(observer, subject, at)).toBeCloseTo(expected, 12);
      }),
      { numRuns: 500 },
    );
  });

  test('call two nodes connected if both are up and neither is hidden from the other, in both directions', () => {
    fc.assert(
      fc.property(outages, fc.constantFrom(...names), fc.constantFrom(...names), instant, (all, one, other, at) => {
        if (one === other) return;
        const expected =
          !isDown(all, one, at) && !isDown(all, other, at) && !isCut(all, one, other, at) && !isCut(all, other, one, at);
        const { isConnected } = networkObservationsOf({ outages: all });
        expect([isConnected(one, other, at), isConnected(other, one, at)]).toEqual([expected, expected]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the network's view", () => {
  test('counts own stake as 100 % and connected stake by its percentage, divided by all active stake', () => {
    fc.assert(
      fc.property(outages, stakers, instant, (all, members, at) => {
        const network = observedNetwork({ stakers: members, outages: all });
        const [own] = members;
        const standing = standingAt(network, 'a', at);
        if (own === undefined || !isStakingAt(own, at)) {
          expect(standing).toBeUndefined();
          return;
        }
        const active = members.filter((one) => isStakingAt(one, at));
        const reached = active.filter((one) => one !== own && network.observations.isConnected('a', one.nodeId, at));
        const weight = (one: Staker): bigint => one.stake + one.delegated;
        const sum = (some: readonly Staker[], of: (one: Staker) => bigint): number =>
          Number(some.reduce((total, one) => total + of(one), 0n));
        const percent = (one: Staker): number => wholePercent(network.observations.seen(one.nodeId, own, at));
        const whole = sum(active, weight);
        expect(standing?.view.weightedAveragePercentage).toBeCloseTo(
          (100 * Number(weight(own)) + sum(reached, (one) => BigInt(percent(one)) * weight(one))) / whole,
          6,
        );
        expect(standing?.view.rewardingStakePercentage).toBeCloseTo(
          (100 *
            (Number(weight(own)) +
              sum(
                reached.filter((one) => percent(one) >= 80),
                weight,
              ))) /
            whole,
          6,
        );
        expect(standing?.connectedStake).toBeCloseTo((Number(weight(own)) + sum(reached, weight)) / whole, 9);
        expect([...(standing?.peers ?? [])].sort()).toEqual(reached.map((one) => [one.nodeId, percent(one)]).sort());
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    { votes: [], rewarding: 40, weighted: 40 },
    { votes: [{ weight: 60, percent: 100 }], rewarding: 100, weighted: 100 },
    {
      votes: [
        { weight: 30, percent: 80 },
        { weight: 30, percent: 79 },
      ],
      rewarding: 70,
      weighted: 87.7,
    },
    { votes: [{ weight: 60, percent: 0 }], rewarding: 40, weighted: 40 },
  ])(
    'with 40 of 100 own stake and $votes, $rewarding % is rewarding and the average is $weighted %',
    ({ votes, rewarding, weighted }) => {
      const view = networkView(40, 100, votes, 0.8);
      expect(view.rewardingStakePercentage).toBe(rewarding);
      expect(view.weightedAveragePercentage).toBeCloseTo(weighted, 9);
    },
  );

  test.each([
    [0.999, 99],
    [1, 100],
    [0.8, 80],
    [0.79999, 79],
  ])('rounds the share %d down to %d percent', (share, percent) => {
    expect(wholePercent(share)).toBe(percent);
  });
});

describe('the reward', () => {
  const helicon = 1000;
  const four = (startTime: number): readonly Staker[] =>
    names.map((nodeId) => ({ nodeId, stake: 10n, delegated: 0n, startTime, endTime: startTime + 1000 }));
  const first = (startTime: number): Staker =>
    four(startTime)[0] ?? { nodeId: '', stake: 0n, delegated: 0n, startTime, endTime: 0 };

  test.each([
    { begins: 999, share: 0.8 },
    { begins: 1000, share: 0.9 },
  ])('needs $share of a period that begins at $begins, with Helicon at 1000', ({ begins, share }) => {
    expect(uptimeRequirementOf(first(begins), { helicon })).toBe(share);
    expect(uptimeRequirementOf(first(begins), {})).toBe(0.8);
  });

  test.each([
    { what: 'down for as long as allowed', begins: 0, down: 200, hiddenFrom: undefined, is: { share: 1, isPaid: true } },
    { what: 'down for a second too long', begins: 0, down: 201, hiddenFrom: undefined, is: { share: 0.25, isPaid: false } },
    {
      what: 'down for a second longer than Helicon allows',
      begins: 1000,
      down: 101,
      hiddenFrom: undefined,
      is: { share: 0.25, isPaid: false },
    },
    { what: 'hidden from one of three', begins: 0, down: 900, hiddenFrom: ['b'], is: { share: 0.75, isPaid: true } },
    { what: 'hidden from two of three', begins: 0, down: 900, hiddenFrom: ['b', 'c'], is: { share: 0.5, isPaid: false } },
  ])('of a validator that was $what is $is', ({ begins, down, hiddenFrom, is }) => {
    const outage = {
      nodeId: 'a',
      from: begins + 10,
      to: begins + 10 + down,
      ...(hiddenFrom && { hiddenFrom: new Set(hiddenFrom) }),
    };
    expect(rewardVote(observedNetwork({ stakers: four(begins), outages: [outage], helicon }), first(begins))).toEqual(is);
  });

  test('is decided by the validators that are up at the end', () => {
    const gone = ['c', 'd'].map((nodeId) => ({ nodeId, from: 990, to: 2000 }));
    const outage = { nodeId: 'a', from: 100, to: 900, hiddenFrom: new Set(['b']) };
    expect(rewardVote(observedNetwork({ stakers: four(0), outages: [outage, ...gone] }), first(0))).toEqual({
      share: 0.5,
      isPaid: false,
    });
  });

  test('the recorded uptime is what the responding node observed; a node records 100 for itself', () => {
    const outage = { nodeId: 'a', from: 0, to: 300 };
    const network = observedNetwork({ stakers: four(0), outages: [outage] });
    expect(['a', 'b'].map((asked) => recordedUptime(network, asked, first(0), 600))).toEqual([100, 50]);
  });
});

test('outages are the same for each seed, in order, and match the requested length and frequency', () => {
  const year = 365 * 86_400;
  const rate = { between: 86_400, length: 3600 };
  const drawn = drawOutages(7, 'a', 1000, 1000 + 20 * year, rate);
  expect(drawOutages(7, 'a', 1000, 1000 + 20 * year, rate)).toEqual(drawn);
  expect(drawOutages(8, 'a', 1000, 1000 + year, rate)[0]).not.toEqual(drawn[0]);
  expect(drawn.every(({ from, to }, at) => from < to && from >= (drawn[at - 1]?.to ?? 1000))).toBe(true);
  const down = drawn.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(down / drawn.length / rate.length).toBeCloseTo(1, 1);
  expect((20 * year - down) / drawn.length / rate.between).toBeCloseTo(1, 1);
});
