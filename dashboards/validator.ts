// Validator rewards: what the network observed of each validator, the downtime left, and how long L1 balances last.

import { dashboards } from '../src/rules/rule.ts';
import { defaults } from '../src/rules/settings.ts';
import { identityLabels, type ThresholdName } from '../src/rules/thresholds.ts';
import { primary } from '../src/rules/validator-inputs.ts';
import type { Board, Panel, Steps, Words } from './board.ts';
import { nodeColumn, noneIsBest, plain, rewards, whereColumns } from './looks.ts';
import { marks, ofTarget as of, rewardOf, variables, who, worstRewardOf } from './scope.ts';
import { count, firingAlerts } from './shared.ts';

const seconds = (name: ThresholdName): number => Number(defaults[name]);

const timeLeft = (critical: number, warning: number): Steps => [
  [null, 'red'],
  [critical, 'orange'],
  [warning, 'green'],
];

const expected: Words = { '0': ['OTHER', 'red'], '1': ['as expected', 'green'] };
const safeToRestart: Words = { '0': ['no', 'orange'], '1': ['yes', 'green'] };
const inactive: Words = { '0': ['active', 'green'], '1': ['inactive', 'red'] };

const onNode = `on (${identityLabels.join(', ')})`;

/** Restricted to validators of the Primary Network and expected validators. */
const ofValidators = (expr: string): string => `${expr}
and ${onNode}
(
  ${of('snowgauge:validator_reward', 'state="not-validator"')} == 0
  or
  ${of('snowgauge:validator_expected')} == 0
)`;

const inState = (state: string): string => `${of('snowgauge:validator_reward', `state="${state}"`)} == 1`;

const lines = (panel: Pick<Extract<Panel, { view: 'lines' }>, 'title' | 'description' | 'unit' | 'queries'>): Panel => ({
  ...panel,
  view: 'lines',
  width: 12,
  height: 8,
});

export const validator: Board = {
  uid: dashboards.validator.uid,
  title: 'Snowgauge / Validators',
  description: 'Staking rewards: uptime, downtime left and end of the staking period of each validator, worst first.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.pods, variables.network, variables.targets],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        count('Validators', 'Nodes that are validators of the Primary Network.', of('snowgauge:stake_end', primary), plain),
        count('At risk', 'Validators whose uptime so far is below the requirement.', inState('at-risk'), noneIsBest),
        count('Lost', 'Validators that can no longer reach the uptime requirement in this staking period.', inState('lost')),
        count(
          'Unknown',
          'Nodes whose reward state is unknown: too little stake is connected, or uptime or staking period are not reported.',
          inState('unknown'),
          noneIsBest,
        ),
        count('Missing', 'Nodes that are expected to be validators, but are not.', `${of('snowgauge:validator_expected')} == 0`),
        count('Other NodeID', 'Nodes with another NodeID than expected.', `${of('snowgauge:node_id_expected')} == 0`),
        {
          title: 'Staking rewards',
          description:
            'One row per validator, worst first. Uptime is as observed by the other validators; downtime left is how long the validator may still be down in this staking period. Expected is OTHER if the NodeID is not the expected one, and empty if none is configured. Safe to restart is empty while unknown.',
          view: 'table',
          width: 24,
          height: 9,
          queries: [
            { expr: rewardOf(of) },
            { expr: of('snowgauge:uptime_projected') },
            { expr: of('snowgauge:uptime_budget') },
            { expr: `max without (subnet) (${of('snowgauge:stake_end', primary)}) - time()` },
            { expr: ofValidators(of('snowgauge:version')) },
            { expr: ofValidators(of('snowgauge:node_id')) },
            { expr: ofValidators(of('snowgauge:node_id_expected')) },
            { expr: ofValidators(`max by (${identityLabels.join(', ')}) (${of('snowgauge_target_safe_to_restart')})`) },
          ],
          worst: 'reward',
          columns: [
            { of: 'A', name: 'reward', words: rewards },
            ...whereColumns,
            nodeColumn,
            { of: 'B', name: 'uptime', unit: 'percentunit' },
            { of: 'C', name: 'downtime left', unit: 's', steps: timeLeft(0, seconds('rewardTimeLeft')) },
            { of: 'D', name: 'staking ends in', unit: 's', steps: timeLeft(0, seconds('stakingEndsSoon')) },
            { of: 'version', name: 'version' },
            { of: 'node_id', name: 'NodeID' },
            { of: 'G', name: 'expected', words: expected },
            { of: 'H', name: 'safe to restart', words: safeToRestart },
          ],
        },
        {
          title: 'L1 validators',
          description: 'One row per subnet. Without balance for its fee, an L1 validator does not validate.',
          view: 'table',
          width: 24,
          height: 6,
          queries: [{ expr: `1 - ${of('snowgauge:l1_active')}` }, { expr: `${of('snowgauge:l1_balance_end')} - time()` }],
          worst: 'state',
          columns: [
            ...whereColumns,
            nodeColumn,
            { of: 'subnet', name: 'subnet' },
            { of: 'A', name: 'state', words: inactive },
            { of: 'B', name: 'balance lasts', unit: 's', steps: timeLeft(seconds('balanceVeryLow'), seconds('balanceLow')) },
          ],
        },
        firingAlerts(of, 6),
      ],
    },
    {
      title: 'History',
      panels: [
        {
          title: 'Reward, the 20 worst',
          description: 'Reward state of each validator. A gap is a time without a response.',
          view: 'states',
          width: 24,
          height: 7,
          words: rewards,
          queries: [
            {
              expr: `(
${rewardOf(of)}
)
and
topk(20, (
${worstRewardOf(of)}
))`,
              legend: who,
            },
          ],
        },
        lines({
          title: 'Downtime left, the 10 shortest',
          description:
            'Time until the uptime requirement is out of reach. Constant while the node is up; negative once it is out of reach.',
          unit: 's',
          queries: [{ expr: `bottomk(10, ${of('snowgauge:uptime_budget')})`, legend: who }],
        }),
        lines({
          title: 'Uptime and requirement, the 10 lowest',
          description:
            'Uptime at the end of the staking period if the share of downtime stays the same. Below the requirement there is no reward.',
          unit: 'percentunit',
          queries: [
            { expr: `bottomk(10, ${of('snowgauge:uptime_projected')})`, legend: who },
            { expr: `max(${of('snowgauge_node_uptime_requirement_ratio')})`, legend: 'required' },
          ],
        }),
        lines({
          title: 'Rewarding stake, the 10 lowest',
          description: 'Stake whose validators saw the node at or above the requirement. Below half of it there is no reward.',
          unit: 'percentunit',
          queries: [{ expr: `bottomk(10, ${of('snowgauge_node_uptime_rewarding_stake_ratio')})`, legend: who }],
        }),
        lines({
          title: 'L1 balances, the 10 shortest',
          description: 'How long each balance lasts at the current fee.',
          unit: 's',
          queries: [{ expr: `bottomk(10, ${of('snowgauge:l1_balance_end')} - time())`, legend: `{{subnet}} ${who}` }],
        }),
      ],
    },
  ],
};
