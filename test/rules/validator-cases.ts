// Cases of the alerts on a validator's reward and balance.

import type { Fires, Quiet } from './case.ts';
import { grow, hold, info, inTurn, l1, losing, primary, reward, type Series, scraped, until, well } from './series.ts';
import { down } from './world-parts.ts';

const url = 'http://127.0.0.1:9650';
const of = (steps: number, changes: Series): Series =>
  scraped({ ...well(steps), ...info(url, 'NodeID-a', hold(1, steps)), ...changes });
const known = ' NodeID: NodeID-a. Network: mainnet.';
const node = 'node (validator-0)';

const budget = (values: string): Series => ({ snowgauge_node_uptime_budget_seconds: values });
const stake = (what: 'start' | 'end', values: string): Series => ({
  [`snowgauge_validator_stake_${what}_timestamp_seconds{subnet="${primary}"}`]: values,
});
const expected = (values: string): Series => ({ snowgauge_target_validator_expected: values });
const active = (values: string): Series => ({ [`snowgauge_l1_validator_active{subnet="${l1}"}`]: values });
const balanceEnd = (seconds: number, steps: number): Series => ({
  [`snowgauge_l1_validator_balance_end_timestamp_seconds{subnet="${l1}"}`]: hold(seconds, steps),
});
const became = (state: string, steps: number, from = 1): Series => ({
  ...reward('on-track', inTurn(hold(1, from), hold(0, steps - from))),
  ...reward(state, inTurn(hold(0, from), hold(1, steps - from))),
});
/** The node stops answering at `from`, so its uptime series end. */
const silentSince = (steps: number, from: number, left: number): Series => ({
  ...down(steps, from),
  ...budget(inTurn(hold(left, from), 'stale')),
  ...stake('end', inTurn(hold(1e7, from), 'stale')),
});
const maintenance = (steps: number): Series => ({ snowgauge_target_maintenance_end_timestamp_seconds: hold(1e6, steps) });
/** The period is a day old, so that rounding to whole percents hides a quarter of an hour. */
const dayOld = stake('start', hold(-86_400, 200));
const window = ['uptimeWindow=1h', 'uptimeSeenWorse=600'];

const day = 86_400;
/** Hourly samples. */
const hourly = { steps: 160, seconds: 3600 };
/** A period that started this many days ago. */
const ofAge = (days: number, changes: Series): Series =>
  scraped({
    ...well(hourly.steps, hourly.seconds),
    ...info(url, 'NodeID-a', hold(1, hourly.steps)),
    ...stake('start', hold(-days * day, hourly.steps)),
    ...changes,
  });
/** The pod is gone from a step on for some hours, which reduce the remaining downtime. */
const withoutPod = (from: number, hours: number): Series => {
  const before = ofAge(5, budget(hold(1e6, hourly.steps)));
  const after = ofAge(5, budget(hold(1e6 - 3600 * hours, hourly.steps)));
  const till = from + hours;
  return Object.fromEntries(
    Object.entries(until(before, from)).map(([name, values]) => [
      name,
      `${values} ${losing(after, (step) => step < till)
        [name]?.split(' ')
        .slice(from + 1)
        .join(' ')}`,
    ]),
  );
};

export const validatorFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'half of the allowed downtime is lost, and the rest lasts two days',
    series: of(60, budget(grow(90_000, -30, 60))),
    steps: 60,
    at: 16,
    labels: { network: 'mainnet' },
    summary: `${node} is about to lose its staking reward.`,
    description: `At the current rate, the downtime that ${node} has left under the uptime requirement is used up in 2d 1h 44m 0s. After that, the reward of the whole staking period is lost.${known}`,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the node is down in its maintenance window, and its last report leaves it a day',
    series: of(60, { ...silentSince(60, 20, 86_400), ...maintenance(60) }),
    steps: 60,
    at: 35,
    labels: { network: 'mainnet' },
    summary: `${node} is about to lose its staking reward.`,
    description: `At the current rate, the downtime that ${node} has left under the uptime requirement is used up in 23h 44m 0s. After that, the reward of the whole staking period is lost.${known}`,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the node has been down for longer than slopes look back, with three days left',
    set: ['rewardTrendWindow=20m'],
    series: of(90, silentSince(90, 20, 262_080)),
    steps: 90,
    at: 83,
    labels: { network: 'mainnet' },
    summary: `${node} is about to lose its staking reward.`,
    description: `At the current rate, the downtime that ${node} has left under the uptime requirement is used up in 2d 23h 44m 0s. After that, the reward of the whole staking period is lost.${known}`,
  },
  {
    alert: 'SnowgaugeUptimeLow',
    title: 'the reward is at risk for an hour',
    series: of(90, became('at-risk', 90, 10)),
    steps: 90,
    at: 70,
    labels: { network: 'mainnet', state: 'at-risk' },
    summary: `The uptime of ${node} is below the requirement.`,
    description: `If the staking period of ${node} ended now, it would not be paid. The reward can still be reached if the node stays up and connected.${known}`,
  },
  {
    alert: 'SnowgaugeRewardLost',
    title: 'the reward is lost, in its maintenance window',
    series: of(40, { ...became('lost', 40, 10), ...maintenance(40) }),
    steps: 40,
    at: 25,
    labels: { network: 'mainnet', state: 'lost' },
    summary: `${node} has lost its staking reward.`,
    description: `Even if ${node} stays up from now on, validators with most of the stake will have seen less uptime than required when its staking period ends.${known}`,
  },
  {
    alert: 'SnowgaugeStakingEndsSoon',
    title: 'the staking period ends in three days',
    series: of(30, stake('end', hold(259_200, 30))),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet', subnet: primary },
    summary: `The staking period of ${node} ends in 2d 23h 45m 0s.`,
    description: `The staking period of ${node} in subnet ${primary} ends in 2d 23h 45m 0s. After that it is not a validator until it is staked again.${known}`,
  },
  {
    alert: 'SnowgaugeNotValidator',
    title: 'the staking period has ended',
    series: of(40, expected(inTurn(hold(1, 10), hold(0, 30)))),
    steps: 40,
    at: 25,
    labels: { network: 'mainnet' },
    summary: `${node} is not a validator.`,
    description: `${node} is expected to be a validator of the Primary Network, but is not in its validator set: its staking period has ended, or it runs with another staking key.${known}`,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'the network sees an available node as down',
    set: window,
    series: of(200, { ...dayOld, ...budget(inTurn(hold(1e6, 60), grow(1e6, -60, 140))) }),
    steps: 200,
    at: 146,
    labels: { network: 'mainnet' },
    summary: `The network sees ${node} down, but it is up.`,
    description: `Within 1h the other validators saw ${node} down for 44m 8s in which it was up. They cannot reach it, or it cannot reach them: check the network, not the process.${known}`,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'the network sees a node as down for two days, 200 days into its period: the uptime falls by two percent',
    series: ofAge(200, budget(inTurn(hold(3e6, 100), hold(3e6 - 2 * day, 48), hold(3e6 - 4 * day, 12)))),
    ...hourly,
    at: 149,
    labels: { network: 'mainnet' },
    summary: `The network sees ${node} down, but it is up.`,
    description: `Within 4d the other validators saw ${node} down for 1d 22h 30m 36s in which it was up. They cannot reach it, or it cannot reach them: check the network, not the process.${known}`,
  },
  {
    alert: 'SnowgaugeValidatorBalanceLow',
    title: 'the balance lasts ten days',
    series: of(30, balanceEnd(864_000, 30)),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet', subnet: l1 },
    summary: `The balance of L1 validator ${node} lasts 9d 23h 45m 0s.`,
    description: `At the current fee, the balance of ${node} in subnet ${l1} will be used up in 9d 23h 45m 0s. Then the L1 validator becomes inactive.${known}`,
  },
  {
    alert: 'SnowgaugeValidatorBalanceEnding',
    title: 'the balance lasts a day',
    series: of(30, balanceEnd(86_400, 30)),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet', subnet: l1 },
    summary: `The balance of L1 validator ${node} will be used up in 23h 45m 0s.`,
    description: `At the current fee, the balance of ${node} in subnet ${l1} will be used up in 23h 45m 0s. Then the L1 validator becomes inactive, and does not validate.${known}`,
  },
  {
    alert: 'SnowgaugeValidatorBalanceEnding',
    title: 'the node is down, and the balance of its last report has run out',
    series: of(30, { ...silentSince(30, 5, 1e6), ...balanceEnd(600, 5) }),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet', subnet: l1 },
    summary: `The balance of L1 validator ${node} will be used up in 0s.`,
    description: `At the current fee, the balance of ${node} in subnet ${l1} will be used up in 0s. Then the L1 validator becomes inactive, and does not validate.${known}`,
  },
  {
    alert: 'SnowgaugeValidatorInactive',
    title: 'the balance has run out',
    series: of(30, { ...active(inTurn(hold(1, 10), hold(0, 20))), ...balanceEnd(600, 30) }),
    steps: 30,
    at: 15,
    labels: { network: 'mainnet', subnet: l1 },
    summary: `L1 validator ${node} is inactive.`,
    description: `${node} has no balance left for its fee in subnet ${l1}, and does not validate there until its balance is increased.${known}`,
  },
];

export const validatorQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the node is down, with eleven days of downtime left',
    series: of(60, silentSince(60, 20, 1e6)),
    steps: 60,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the node is down, and its period ends before the remaining downtime does',
    series: of(60, { ...silentSince(60, 20, 200_000), ...stake('end', inTurn(hold(100_000, 20), 'stale')) }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the node is down, and its period ends soon after the remaining downtime does',
    series: of(60, { ...silentSince(60, 20, 120), ...stake('end', inTurn(hold(1800, 20), 'stale')) }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'the reward is lost already',
    series: of(60, { ...became('lost', 60), ...budget(grow(-1000, -60, 60)) }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'a shorter staking period starts, with less downtime left',
    series: of(60, {
      ...budget(inTurn(hold(1e6, 20), hold(240_000, 40))),
      ...stake('start', inTurn(hold(0, 20), hold(1200, 40))),
    }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeRewardAtRisk',
    title: 'little downtime is left, and the node is available',
    series: of(60, budget(hold(3600, 60))),
    steps: 60,
  },
  {
    alert: 'SnowgaugeUptimeLow',
    title: 'the reward is at risk for half an hour',
    series: of(90, {
      ...reward('at-risk', inTurn(hold(0, 10), hold(1, 30), hold(0, 50))),
      ...reward('on-track', inTurn(hold(1, 10), hold(0, 30), hold(1, 50))),
    }),
    steps: 90,
  },
  {
    alert: 'SnowgaugeUptimeLow',
    title: 'too little of the stake is connected',
    series: of(90, became('unknown', 90, 10)),
    steps: 90,
  },
  { alert: 'SnowgaugeRewardLost', title: 'the reward is at risk', series: of(40, became('at-risk', 40, 10)), steps: 40 },
  {
    alert: 'SnowgaugeRewardLost',
    title: 'the node is not a validator',
    series: of(40, became('not-validator', 40, 10)),
    steps: 40,
  },
  {
    alert: 'SnowgaugeStakingEndsSoon',
    title: 'the period ends in eight days',
    series: of(30, stake('end', hold(691_200, 30))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeStakingEndsSoon',
    title: 'the period ended, and the node is no longer a validator',
    series: of(40, stake('end', inTurn(hold(600, 10), 'stale'))),
    steps: 40,
  },
  {
    alert: 'SnowgaugeNotValidator',
    title: 'the node is not expected to be a validator',
    series: of(40, { ...expected(hold('_', 40)), ...became('not-validator', 40) }),
    steps: 40,
  },
  {
    alert: 'SnowgaugeNotValidator',
    title: 'its P-Chain bootstraps and reports nothing',
    series: of(40, expected(inTurn(hold(1, 10), 'stale'))),
    steps: 40,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'the node was down itself',
    set: window,
    series: of(200, { ...dayOld, ...down(200, 60), ...budget(inTurn(hold(1e6, 60), grow(1e6, -60, 140))) }),
    steps: 200,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'the uptime drops by a whole percent once',
    set: window,
    series: of(200, { ...dayOld, ...budget(inTurn(hold(1e6, 60), hold(1e6 - 900, 140))) }),
    steps: 200,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'its pod was gone for five hours',
    series: withoutPod(100, 5),
    ...hourly,
  },
  {
    alert: 'SnowgaugeUptimeSeenWorse',
    title: 'another staking period begins',
    set: window,
    series: of(200, {
      ...budget(inTurn(hold(1e6, 60), hold(1e5, 140))),
      ...stake('start', inTurn(hold(0, 60), hold(3600, 140))),
    }),
    steps: 200,
  },
  {
    alert: 'SnowgaugeValidatorBalanceLow',
    title: 'the balance lasts fifteen days',
    series: of(30, balanceEnd(1.3e6, 30)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeValidatorBalanceLow',
    title: 'the balance lasts a day: SnowgaugeValidatorBalanceEnding',
    series: of(30, balanceEnd(86_400, 30)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeValidatorBalanceEnding',
    title: 'the balance lasts four days',
    series: of(30, balanceEnd(345_600, 30)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeValidatorBalanceEnding',
    title: 'the balance has run out: SnowgaugeValidatorInactive',
    series: of(30, { ...balanceEnd(0, 30), ...active(hold(0, 30)) }),
    steps: 30,
  },
  { alert: 'SnowgaugeValidatorInactive', title: 'the L1 validator is active', series: of(30, active(hold(1, 30))), steps: 30 },
  {
    alert: 'SnowgaugeValidatorInactive',
    title: 'the node was removed from the L1',
    series: of(30, active(inTurn(hold(1, 10), 'stale'))),
    steps: 30,
  },
];
