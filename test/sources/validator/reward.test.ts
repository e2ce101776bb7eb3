// Will the reward be paid? Compared with a network whose stake votes: "lost" is never reported too early, and no loss is hidden.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessReward, type Evidence, enoughConnected, type Reward } from '../../../src/sources/validator/reward.ts';
import { outlook, requirementOf } from '../../../src/sources/validator/uptime.ts';
import { answersOf, bestVote, type Network, networks, requiredIn, seenUp, trueMean, type Viewer, whole } from './network.ts';
import '../../support/property-seed.ts';

const day = 86_400;

const evidenceOf = (network: Network, elapsed: number): Evidence => {
  const answers = answersOf(network, elapsed);
  const period = { start: network.start, end: network.start + network.length };
  return {
    isValidator: true,
    period,
    requirement: requirementOf(period, network.helicon),
    view: {
      weighted: Number(answers.weightedAveragePercentage) / 100,
      rewarding: Number(answers.rewardingStakePercentage) / 100,
      connected: answers.percentConnected,
    },
    reported: answers.observedUptime.map((one) => Number(one) / 100),
    now: network.start + elapsed,
  };
};

const elapsedIn = ({ length }: Network, share: number): number => Math.max(1, Math.round(length * share));
const drawn = fc.record({ network: networks, share: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.sqrt) });

const each = (check: (evidence: Evidence, reward: Reward, network: Network, elapsed: number) => void, runs = 3000): void =>
  fc.assert(
    fc.property(drawn, ({ network, share }) => {
      const elapsed = elapsedIn(network, share);
      const evidence = evidenceOf(network, elapsed);
      check(evidence, assessReward(evidence), network, elapsed);
    }),
    { numRuns: runs },
  );

const isEnough = ({ view }: Evidence): boolean => (view?.connected ?? 0) >= enoughConnected;

describe('compared with a voting network', () => {
  test('never reports lost before the reward is lost, with and without the uptimes from the peers', () => {
    let lost = 0;
    each(({ reported, ...evidence }, reward, network, elapsed) => {
      for (const { state } of [reward, assessReward(evidence)])
        if (state === 'lost') {
          lost += 1;
          expect(bestVote(network, elapsed)).toBeLessThan(0.5);
        }
    });
    // A bound that is never reached would pass too.
    expect(lost).toBeGreaterThan(100);
  });

  test('reports a lost reward as at-risk or lost', () => {
    let lost = 0;
    each((evidence, { state }, network, elapsed) => {
      if (bestVote(network, elapsed) >= 0.5 || !isEnough(evidence)) return;
      lost += 1;
      expect(['at-risk', 'lost']).toContain(state);
    });
    expect(lost).toBeGreaterThan(100);
  });

  test('reports a lost reward as lost unless rounding hides it or the mean can still reach the requirement', () => {
    let [told, atOnce] = [0, 0];
    each((evidence, { state }, network, elapsed) => {
      if (bestVote(network, elapsed) >= 0.5 || !isEnough(evidence)) return;
      const required = requiredIn(network) / 100;
      const hopeful = (1 - required) * network.length;
      const isDoubtful = (one: Viewer): boolean => {
        const percent = whole(one, elapsed);
        return percent < 100 * required && (1 - (percent + 1) / 100) * elapsed < hopeful;
      };
      const doubt = network.viewers.some((one) => one.isConnected && isDoubtful(one));
      const best = (Math.min(1, trueMean(network, elapsed) + 0.0101) * elapsed + network.length - elapsed) / network.length;
      const missing = 1 - (evidence.view?.connected ?? 0);
      const mayBe = bestVote(network, elapsed) + missing >= 0.499999;
      if (doubt || best >= required || mayBe) return;
      told += 1;
      if (state === 'lost') atOnce += 1;
    });
    expect(told).toBeGreaterThan(50);
    expect(atOnce).toBe(told);
  });

  test('reports unknown with too little connected stake', () => {
    each((evidence, { state, reason }) => {
      if (!isEnough(evidence)) expect([state, reason]).toEqual(['unknown', 'ConnectedStakeLow']);
    });
  });

  test('computes the figures of the connected stake to the precision of the answers', () => {
    each((evidence, reward, network, elapsed) => {
      if (!isEnough(evidence)) return;
      const required = requiredIn(network) / 100;
      const mean = trueMean(network, elapsed);
      const down = (1 - mean) * elapsed;
      const { budgetSeconds = Number.NaN, bestPossible = Number.NaN } = reward.outlook ?? {};
      const tolerance = 1e-6 / enoughConnected;
      const budget = (1 - required) * network.length - down;
      expect(budgetSeconds).toBeLessThanOrEqual(budget + tolerance * elapsed);
      expect(budgetSeconds).toBeGreaterThan(budget - (0.01 + tolerance) * elapsed);
      const best = (network.length - down) / network.length;
      expect(bestPossible).toBeLessThanOrEqual(best + tolerance);
      expect(bestPossible).toBeGreaterThan(best - 0.01 - tolerance);
      expect(Math.abs((reward.projected ?? Number.NaN) - mean)).toBeLessThan(0.01 + tolerance);
    });
  });

  test('never returns to on-track after lost, and ends as the vote does', () => {
    fc.assert(
      fc.property(networks, (drawnNetwork) => {
        const network = { ...drawnNetwork, viewers: drawnNetwork.viewers.map((one) => ({ ...one, isConnected: true })) };
        const states = Array.from({ length: 30 }, (_, nth) => {
          const elapsed = elapsedIn(network, (nth + 1) / 30);
          return { state: assessReward(evidenceOf(network, elapsed)).state, isPaid: bestVote(network, elapsed) >= 0.5 };
        });
        const first = states.findIndex(({ state }) => state === 'lost');
        const after = first === -1 ? [] : states.slice(first);
        expect(after.map(({ state }) => state)).not.toContain('on-track');
        const { state, isPaid } = states.at(-1) ?? {};
        expect(after.length > 0 && isPaid).toBe(false);
        expect(state === 'on-track' && !isPaid).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('with any witness, never invents a loss and never hides one', () => {
    let lost = 0;
    each((evidence, _, network, elapsed) => {
      for (const viewer of network.viewers.slice(1)) {
        const witness = Number((seenUp(viewer, elapsed) / elapsed).toFixed(6));
        const { state } = assessReward({ ...evidence, witness });
        const isLost = bestVote(network, elapsed) < 0.5;
        if (state === 'lost') expect(isLost).toBe(true);
        if (!isEnough(evidence)) expect(['unknown', 'at-risk']).toContain(state);
        else if (isLost) expect(['at-risk', 'lost']).toContain(state);
        if (isLost) lost += 1;
      }
    }, 1000);
    expect(lost).toBeGreaterThan(100);
  });

  test('with a witness, refines whole percents, and ignores a witness below what the others saw', () => {
    const viewers: readonly Viewer[] = [0, 1, 2].map((nth) => ({
      stake: 100,
      isConnected: true,
      outages: nth === 0 ? [] : [[0, 0.105 * 100 * day]],
    }));
    const network = { viewers, start: 1_795_000_000, length: 200 * day, helicon: undefined };
    const evidence = evidenceOf(network, 100 * day);
    const budgetOf = (witness?: number): number =>
      assessReward({ ...evidence, ...(witness !== undefined && { witness }) }).outlook?.budgetSeconds ?? 0;
    const exact = 0.2 * 200 - (1 - trueMean(network, 100 * day)) * 100;
    expect(budgetOf() / day).toBeLessThan(exact);
    expect(budgetOf(trueMean(network, 100 * day)) / day).toBeCloseTo(exact, 6);
    expect(budgetOf(0.1)).toBe(budgetOf());
  });
});

describe('the uptime requirement of a period', () => {
  const period = { start: 1_795_000_000, end: 1_795_000_000 + 100 * day };
  test.each([
    ['is 0.8 when Helicon is not scheduled', undefined, 0.8],
    ['is 0.8 when Helicon comes after the period', period.end + 1, 0.8],
    ['is 0.8 when Helicon comes within the period', period.start + 1, 0.8],
    ['is 0.9 when Helicon comes at the start of the period', period.start, 0.9],
    ['is 0.9 when Helicon came before the period', period.start - day, 0.9],
  ])('%s', (_when, helicon, requirement) => expect(requirementOf(period, helicon)).toBe(requirement));
});

describe('the outlook of a period', () => {
  const period = { start: 1000 * day, end: 1100 * day };
  test.each([
    { at: 900, uptime: 1, budget: 20, best: 1, remaining: 100 },
    { at: 1050, uptime: 1, budget: 20, best: 1, remaining: 50 },
    { at: 1050, uptime: 0.8, budget: 10, best: 0.9, remaining: 50 },
    { at: 1050, uptime: 0.5, budget: -5, best: 0.75, remaining: 50 },
    { at: 1200, uptime: 0.9, budget: 10, best: 0.9, remaining: 0 },
  ])(
    'on day $at with uptime $uptime: $budget days of downtime budget, at best $best',
    ({ at, uptime, budget, best, remaining }) => {
      const left = outlook(uptime, period, at * day, 0.8);
      expect(left.budgetSeconds / day).toBeCloseTo(budget, 9);
      expect(left.bestPossible).toBeCloseTo(best, 9);
      expect(left.remainingSeconds / day).toBe(remaining);
    },
  );
});

describe('the reward state', () => {
  const period = { start: 1_795_000_000, end: 1_795_000_000 + 100 * day };
  const now = period.start + 50 * day;
  const view = { weighted: 0.99, rewarding: 1, connected: 1 };
  const known: Evidence = { isValidator: true, period, requirement: 0.8, view, now };
  const { isValidator: _isValidator, period: _period, requirement: _requirement, view: _view, ...nothing } = known;
  const seen = (over: Partial<typeof view>): Evidence => ({ ...known, view: { ...view, ...over } });

  test.each<readonly [string, Evidence, string, string]>([
    ['of a node that was up is on-track', known, 'on-track', 'RequirementMet'],
    ['of a node that validates nothing is not-validator', { ...known, isValidator: false }, 'not-validator', 'NotValidator'],
    ['without the requirement is unknown', { ...nothing, period, view }, 'unknown', 'RequirementUnknown'],
    ['without the staking period is unknown', { ...nothing, requirement: 0.8, view }, 'unknown', 'StakingPeriodUnknown'],
    ['without the uptime that the network saw is unknown', { ...nothing, requirement: 0.8, period }, 'unknown', 'UptimeUnknown'],
    [
      'without the connected stake is unknown',
      { ...known, view: { weighted: 1, rewarding: 1 } },
      'unknown',
      'ConnectedStakeUnknown',
    ],
    ['with little connected stake is unknown', seen({ connected: 0.799 }), 'unknown', 'ConnectedStakeLow'],
    [
      'with a high mean and little rewarding stake is at-risk',
      seen({ weighted: 0.9, rewarding: 0.4 }),
      'at-risk',
      'RewardingStakeLow',
    ],
    [
      'with an uptime below the requirement so far is at-risk',
      seen({ weighted: 0.79, rewarding: 0.6 }),
      'at-risk',
      'UptimeBelowRequirement',
    ],
    [
      'with a spent budget and half of the stake rewarding is at-risk',
      seen({ weighted: 0.5, rewarding: 0.5 }),
      'at-risk',
      'BudgetSpent',
    ],
    ['of a node that was never up is lost', seen({ weighted: 0.01, rewarding: 0.01 }), 'lost', 'RequirementOutOfReach'],
    [
      'with little connected stake and a witness that saw too little is at-risk',
      { ...known, view: { ...view, connected: 0.5 }, witness: 0.7 },
      'at-risk',
      'UptimeBelowRequirement',
    ],
    [
      'with little connected stake and a witness that saw enough is unknown',
      { ...known, view: { ...view, connected: 0.5 }, witness: 0.9 },
      'unknown',
      'ConnectedStakeLow',
    ],
  ])('%s', (_of, evidence, state, reason) => expect(assessReward(evidence)).toMatchObject({ state, reason }));

  test('is not lost while two thirds of the stake can still see the requirement met, whatever the mean', () => {
    // The mean cannot reach the requirement; those two thirds still can.
    const late = { ...known, now: period.start + 96 * day };
    const evidence = {
      ...late,
      view: { weighted: 0.6 * 0.79 + 0.4 * 0.3, rewarding: 0, connected: 1 },
      reported: [0.79, 0.79, 0.3],
    };
    expect(assessReward(evidence)).toMatchObject({ state: 'at-risk', reason: 'BudgetSpent' });
    expect(assessReward({ ...evidence, reported: [0.6, 0.5, 0.3] })).toMatchObject({ state: 'lost' });
  });

  test('is not lost while the mean can reach the requirement, whatever the peers report', () => {
    const split = { ...seen({ weighted: 0.4 + 0.6 * 0.4, rewarding: 0.4 }), reported: [1, 1, 0.4, 0.4, 0.4] };
    expect(assessReward(split)).toMatchObject({ state: 'at-risk', reason: 'RewardingStakeLow' });
    expect(assessReward({ ...split, now: period.start + 60 * day })).toMatchObject({ state: 'lost' });
  });
});
