// What the page lists for a validator, and with which level.

import { expect, test } from 'vitest';
import { defaults } from '../../../src/rules/settings.ts';
import { soon } from '../../../src/sources/validator/dangers.ts';
import { validatorFacts } from '../../../src/sources/validator/facts.ts';
import type { ValidatorDetails } from '../../../src/sources/validator/status.ts';

const day = 86_400;
const validator: ValidatorDetails = {
  freshness: 'current',
  state: 'on',
  expected: false,
  reward: { state: 'on-track', reason: 'RequirementMet', message: 'the uptime so far meets the requirement' },
  uptime: { weighted: 0.97, rewardingStake: 1, connectedStake: 0.99, projected: 0.98, bestPossible: 1, requirement: 0.8 },
  witness: { target: 'node-2', uptime: 0.98765 },
  budgetSeconds: 60 * day,
  remainingSeconds: 100 * day,
  stakeEnd: '2027-05-22T00:00:00.000Z',
  stakeNavax: 2_000_500_000_000,
  potentialRewardNavax: 160_000_000_000,
  delegations: 1,
};
const l1 = { subnet: 'mine', weight: 1, active: true, balanceEnd: '2026-12-20T00:00:00.000Z' };

test('all facts are listed', () => {
  expect(validatorFacts({ ...validator, l1s: [{ ...l1, balanceSeconds: 20 * day }] })).toEqual([
    { name: 'Staking reward', value: 'on track', level: 'good', note: 'the uptime so far meets the requirement' },
    { name: 'Uptime', value: '98 %', note: '80 % required; rewarding stake 100 %, connected 99 %; node-2 saw 98.76 %' },
    { name: 'Downtime left', value: '60 d' },
    { name: 'Staking ends', value: '2027-05-22T00:00:00.000Z', note: 'in 100 d' },
    { name: 'Stake', value: '2000.5 AVAX', note: '1 delegation' },
    { name: 'Potential reward', value: '160 AVAX' },
    { name: 'L1 validator', value: 'paid until 2026-12-20T00:00:00.000Z', note: 'mine' },
  ]);
});

test('the connected stake is not listed if it is unknown', () => {
  const uptime = { weighted: 0.97, rewardingStake: 1, projected: 0.98, bestPossible: 1, requirement: 0.8 };
  expect(validatorFacts({ ...validator, uptime })[1]).toEqual({
    name: 'Uptime',
    value: '98 %',
    note: '80 % required; rewarding stake 100 %; node-2 saw 98.76 %',
  });
});

test.each([
  ['pending', 'not known yet'],
  ['stale', 'unknown'],
  // The node serves its P-Chain but not its info API.
  ['current', 'unknown'],
] as const)('with %s data and no reward state the page shows "%s"', (freshness, value) => {
  const { reward: _, ...rest } = validator;
  expect(validatorFacts({ ...rest, freshness })[0]).toEqual({ name: 'Staking reward', value });
});

const missing = { state: 'not-validator', reason: 'NotValidator', message: 'none' } as const;

test.each<readonly [string, Partial<ValidatorDetails>, string, string | undefined]>([
  ['a node that should be a validator but is not: bad', { reward: missing, expected: true }, 'Staking reward', 'bad'],
  ['a node that is no validator and need not be: none', { reward: missing }, 'Staking reward', 'none'],
  ['staking that ends in six days: warn', { remainingSeconds: 6 * day }, 'Staking ends', 'warn'],
  ['staking that ends in eight days: no level', { remainingSeconds: 8 * day }, 'Staking ends', undefined],
  ['an L1 validator paid for 15 days: no level', { l1s: [{ ...l1, balanceSeconds: 15 * day }] }, 'L1 validator', undefined],
  ['an L1 validator paid for 13 days: warn', { l1s: [{ ...l1, balanceSeconds: 13 * day }] }, 'L1 validator', 'warn'],
  ['an L1 validator paid for two days: bad', { l1s: [{ ...l1, balanceSeconds: 2 * day }] }, 'L1 validator', 'bad'],
  ['an L1 validator without a balance: bad', { l1s: [{ ...l1, active: false }] }, 'L1 validator', 'bad'],
])('level of %s', (_who, over, name, level) => {
  expect(validatorFacts({ ...validator, ...over }).find((fact) => fact.name === name)?.level).toBe(level);
});

test('the page uses the same thresholds as the alerts', () => {
  const { stakingEndsSoon, balanceLow, balanceVeryLow } = defaults;
  expect(soon).toEqual({
    stakingEnds: Number(stakingEndsSoon),
    balanceLow: Number(balanceLow),
    balanceVeryLow: Number(balanceVeryLow),
  });
});
