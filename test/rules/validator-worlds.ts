// Worlds about a validator whose node goes down: its staking period and balances stay valid without new reports.

import type { Situation } from './case.ts';
import {
  beginning,
  dip,
  hold,
  info,
  inTurn,
  l1,
  losing,
  primary,
  ready,
  reward,
  type Series,
  scraped,
  scrapeLabels,
  until,
  well,
  where,
} from './series.ts';
import { all, down } from './world-parts.ts';

const day = 86_400;
const elsewhere = { ...scrapeLabels(), instance: '10.0.7.7:9652' };
const url = 'http://127.0.0.1:9650';
const known = (steps: number): Series => ({ ...well(steps), ...info(url, 'NodeID-a', hold(1, steps)) });

const balance = (seconds: number, steps: number, subnet = l1): Series => ({
  [`snowgauge_l1_validator_active{subnet="${subnet}"}`]: hold(seconds > 0 ? 1 : 0, steps),
  [`snowgauge_l1_validator_balance_end_timestamp_seconds{subnet="${subnet}"}`]: hold(seconds, steps),
});

/** Every validator alert fires, except those for a lost reward and for a node that is not a validator. */
const poor = (steps: number): Series => ({
  ...known(steps),
  ...reward('on-track', hold(0, steps)),
  ...reward('at-risk', hold(1, steps)),
  [`snowgauge_validator_stake_end_timestamp_seconds{subnet="${primary}"}`]: hold(3 * day, steps),
  ...balance(10 * day, steps),
  ...balance(day, steps, 'ending'),
  ...balance(0, steps, 'inactive'),
});
const ofPoor = {
  'StakingEndsSoon validator': 1,
  'UptimeLow validator': 1,
  'ValidatorBalanceLow validator': 1,
  'ValidatorBalanceEnding validator': 1,
  'ValidatorInactive validator': 1,
};
const isDown = { 'TargetDown target': 1 };

const isOfValidator = (name: string): boolean => /^snowgauge_(?:(?:l1_)?validator|target_validator|node_uptime)_/.test(name);
const ofValidator = (node: Series): Series => where(node, isOfValidator, (values) => values);

/** Nothing answers from a step on. */
const silent = (node: Series, steps: number, from: number): Series => ({
  ...node,
  ...down(steps, from),
  ...until(ofValidator(node), from),
});

/** Down for 3 minutes, then the P-Chain bootstraps for 12. */
const back = (node: Series, steps: number): Series => ({
  ...node,
  snowgauge_up: dip(1, 0, steps, 0, 3),
  ...ready(dip(1, 0, steps, 0, 15)),
  snowgauge_bootstrapping_subnets: inTurn(hold('_', 4), hold(1, 11), hold(0, steps - 15)),
  ...losing(ofValidator(node), (step) => step < 15),
});

export const validatorWorlds: readonly Situation[] = [
  {
    title: 'a validator with many alerts goes down and returns in a pod with another address',
    series: all(scraped(until(silent(poor(80), 80, 70), 80)), scraped(beginning(back(poor(50), 50), 83), elsewhere)),
    steps: 130,
    fires: { ...ofPoor, ...isDown },
    ends: ofPoor,
    steady: true,
  },
  {
    title: 'a validator with many alerts goes down and is removed from the configuration',
    series: all(
      scraped(until(silent(poor(120), 120, 70), 100)),
      scraped(
        where(
          well(120),
          (name) => /^(?:up|snowgauge_(?:build|config)_)/.test(name),
          (values) => values,
        ),
      ),
    ),
    steps: 120,
    fires: { ...ofPoor, ...isDown },
    ends: {},
    steady: true,
  },
  {
    title: 'the balance of an L1 validator is increased while its node is down',
    series: all(
      scraped(until(silent({ ...known(60), ...balance(10 * day, 60) }, 60, 30), 60)),
      scraped(beginning(back(known(60), 60), 60), elsewhere),
    ),
    steps: 120,
    fires: { 'ValidatorBalanceLow validator': 1, ...isDown },
    ends: {},
    steady: true,
  },
  {
    title: 'a node is removed from its L1 and goes down later',
    series: scraped({ ...silent(known(120), 120, 60), ...until(balance(day, 120), 40) }),
    steps: 120,
    fires: { 'ValidatorBalanceEnding validator': 1, ...isDown },
    ends: isDown,
  },
  {
    title: 'a staking period ends while the node is down',
    series: scraped({
      ...silent(known(120), 120, 30),
      [`snowgauge_validator_stake_end_timestamp_seconds{subnet="${primary}"}`]: inTurn(hold(3600, 30), 'stale'),
    }),
    steps: 120,
    fires: { 'StakingEndsSoon validator': 1, ...isDown },
    ends: isDown,
  },
  {
    title: 'a validator has lost its reward and goes down',
    series: scraped(
      silent(
        {
          ...known(120),
          ...reward('on-track', hold(0, 120)),
          ...reward('lost', hold(1, 120)),
          snowgauge_node_uptime_budget_seconds: hold(-1000, 120),
        },
        120,
        60,
      ),
    ),
    steps: 120,
    fires: { 'RewardLost validator': 1, ...isDown },
    steady: true,
  },
  {
    title: 'a node that should be a validator is not one, and goes down',
    series: scraped(
      silent(
        {
          ...known(120),
          ...reward('on-track', hold(0, 120)),
          ...reward('not-validator', hold(1, 120)),
          snowgauge_target_validator_expected: hold(0, 120),
        },
        120,
        60,
      ),
    ),
    steps: 120,
    fires: { 'NotValidator validator': 1, ...isDown },
    steady: true,
  },
];
