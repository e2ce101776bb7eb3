// Drills on the rewards of a validator, and on the fees of its L1 validators. The node restarts in each drill, because validator data is
// polled at once after a restart, and otherwise once a minute. A drill that compares uptimes restarts the node before the fault, too.

import type { FaultNow } from '../node/play.ts';
import type { Drill, Injection, Sign } from './drill.ts';

const day = 86_400;
const reason = 'the node must respond again, and its uptime is polled after that';

const restart = (after: number, ...faults: readonly FaultNow[]): readonly Injection[] => [
  { after, kind: 'node', faults: [{ fault: 'node-restarts' }, ...faults] },
  { after: after + 1, kind: 'node', faults },
];

const set = { readinessLostFor: '1m' };

/** The node restarts, and has this fault after it. */
const backWith = (fault: FaultNow): Pick<Drill, 'injections' | 'set'> => ({ injections: restart(0, fault), set });

const becomes = (state: string): Sign => ({
  family: 'snowgauge_validator_reward_state',
  labels: { state },
  is: (value) => value === 1,
  patience: { intervals: 5, reason },
});

const onPage = 'The status page: "Staking reward".';

/** Seconds until the node has restarted for the first time and was polled. */
const back = 10;

/** Seconds after the first restart: restarts within this time do not trigger another immediate poll. */
const askedAgain = 20;

/** Longest first: drills that run in parallel then finish sooner. */
export const validatorDrills: readonly Drill[] = [
  {
    name: 'reward-at-risk',
    fault:
      'The node restarts, and again ten seconds later. Then the other validators report an uptime of 18 % in its staking period. Less than two days of downtime are left.',
    injections: [...restart(0), ...restart(back, { fault: 'uptime-falls', to: 0.18 })],
    set,
    sign: { ...becomes('at-risk'), patience: { intervals: askedAgain + 5, reason } },
    alert: 'SnowgaugeRewardAtRisk',
    waits: { seconds: 66, reason: 'slopes over days are evaluated once a minute' },
    alongside: ['SnowgaugeUptimeLow'],
    notified: ['chat: SnowgaugeUptimeLow', 'pager: SnowgaugeRewardAtRisk'],
    look: onPage,
  },
  {
    name: 'uptime-seen-worse',
    fault: 'The node restarts. Ten seconds later the other validators report an uptime of 95 %, although the node was up.',
    injections: [...restart(0), { after: back, kind: 'node', faults: [{ fault: 'uptime-falls', to: 0.95 }] }],
    // The drill removes four days at once. No alert on a slope is meant to fire.
    set: { ...set, uptimeWindow: '30s', rewardTimeLeft: '0' },
    sign: {
      family: 'snowgauge_node_uptime_projected_ratio',
      is: (value) => value < 0.97,
      patience: { intervals: 70, reason: 'the uptime is polled once a minute' },
    },
    alert: 'SnowgaugeUptimeSeenWorse',
    look: 'The status page: the uptime falls, and the node is healthy.',
  },
  {
    name: 'not-validator',
    fault: 'The staking period of the node has ended, but the configuration expects a validator.',
    expectsValidators: true,
    ...backWith({ fault: 'staking-ends', in: 0 }),
    sign: becomes('not-validator'),
    alert: 'SnowgaugeNotValidator',
    look: onPage,
  },
  {
    name: 'uptime-low',
    fault: 'The other validators report an uptime of 70 %.',
    ...backWith({ fault: 'uptime-falls', to: 0.7 }),
    sign: becomes('at-risk'),
    alert: 'SnowgaugeUptimeLow',
    look: onPage,
  },
  {
    name: 'reward-lost',
    fault: 'The other validators report an uptime of 5 %: the requirement is out of reach.',
    ...backWith({ fault: 'uptime-falls', to: 0.05 }),
    sign: becomes('lost'),
    alert: 'SnowgaugeRewardLost',
    look: onPage,
  },
  {
    name: 'staking-ends',
    fault: 'The staking period of the node ends in three days.',
    ...backWith({ fault: 'staking-ends', in: 3 * day }),
    alert: 'SnowgaugeStakingEndsSoon',
    waits: { seconds: 6, reason },
    look: 'The status page: when staking ends.',
  },
  {
    name: 'balance-low',
    fault: 'The balance of an L1 validator lasts ten days.',
    ...backWith({ fault: 'balance-runs-out', in: 10 * day, subnet: 'alpha' }),
    alert: 'SnowgaugeValidatorBalanceLow',
    waits: { seconds: 6, reason },
    look: 'The status page: until when the L1 validator is paid.',
  },
  {
    name: 'balance-ends',
    fault: 'The balance of an L1 validator lasts one day.',
    ...backWith({ fault: 'balance-runs-out', in: day, subnet: 'alpha' }),
    alert: 'SnowgaugeValidatorBalanceEnding',
    waits: { seconds: 6, reason },
    look: 'The status page: until when the L1 validator is paid.',
  },
  {
    name: 'l1-inactive',
    fault: 'The balance of an L1 validator is used up.',
    ...backWith({ fault: 'balance-runs-out', in: 0, subnet: 'alpha' }),
    sign: { family: 'snowgauge_l1_validator_active', is: (value) => value === 0, patience: { intervals: 5, reason } },
    alert: 'SnowgaugeValidatorInactive',
    look: 'The status page: the L1 validator is inactive.',
  },
];
