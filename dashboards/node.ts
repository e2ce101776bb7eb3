// One node: is it healthy, since when not, why, and how old is the report.

import { dashboards } from '../src/rules/rule.ts';
import type { Board, Panel, Section, Words } from './board.ts';
import { answers, live, nodeColumn, none, passing, ready, rewards, runs, validatorLink, whereColumns } from './looks.ts';
import { chain, lines, machine, network, resources, vitals } from './node-network.ts';
import { marks, ofTarget as of, rewardOf, statusOf, variables, who } from './scope.ts';
import { failingChecks, firingAlerts } from './shared.ts';

const conclusion = (title: string, description: string, expr: string, words: Words): Panel => ({
  title,
  description,
  view: 'number',
  width: 3,
  height: 4,
  words,
  queries: [{ expr }],
});

const now: Section = {
  title: 'Now',
  panels: [
    conclusion('API', 'Whether there is a fresh health report (3 check intervals).', of('snowgauge_up'), answers),
    conclusion(
      'Checks',
      'Frozen: the API responds, but no check has run for 3 check intervals. The report is outdated.',
      of('snowgauge_health_frozen'),
      runs,
    ),
    conclusion(
      'Ready',
      'Not ready if one of its tag sets is not ready or unknown; rules: docs/probes.md.',
      `min without (tag_set) (${of('snowgauge:ready')})`,
      ready,
    ),
    conclusion('Live', 'No: a restart could help the node.', statusOf(of, 'Live'), live),
    {
      title: 'Last report',
      description: 'Age of the last report. All other panels are at least as old.',
      view: 'number',
      width: 3,
      height: 4,
      unit: 's',
      steps: [
        [null, 'green'],
        [90, 'red'],
      ],
      queries: [{ expr: `time() - ${of('snowgauge_last_report_timestamp_seconds')}` }],
    },
    {
      title: 'Bootstrapping',
      description: 'Subnets that are still bootstrapping. Failing checks are expected until they finish.',
      view: 'number',
      width: 3,
      height: 4,
      unit: 'short',
      steps: [
        [null, 'green'],
        [1, 'blue'],
      ],
      queries: [{ expr: of('snowgauge_bootstrapping_subnets') }],
    },
    {
      title: 'Clock skew',
      description: 'Node clock minus exporter clock. A node with a wrong clock rejects blocks.',
      view: 'number',
      width: 3,
      height: 4,
      unit: 's',
      steps: [
        [null, 'red'],
        [-10, 'green'],
        [10, 'red'],
      ],
      queries: [{ expr: of('snowgauge_clock_skew_seconds') }],
    },
    {
      title: 'Restarts',
      description: 'Restarts observed in the selected time range.',
      view: 'number',
      width: 3,
      height: 4,
      unit: 'short',
      steps: none,
      queries: [{ expr: `increase(${of('snowgauge_node_restarts_total')}[$__range])` }],
    },
    ...vitals,
    {
      title: 'Node identity',
      description:
        'NodeID, version and network that the node reports, and the state of its staking reward. Empty: not known yet, or no longer known.',
      view: 'table',
      width: 24,
      height: 3,
      queries: [
        { expr: of('snowgauge_target_info') },
        { expr: rewardOf(of, 'snowgauge_validator_reward_state', 'snowgauge_target_validator_expected') },
      ],
      worst: 'target',
      columns: [
        ...whereColumns,
        nodeColumn,
        { of: 'node_id', name: 'NodeID' },
        { of: 'network', name: 'network' },
        { of: 'version', name: 'version' },
        { of: 'B', name: 'reward', words: rewards, link: validatorLink },
        { of: 'url', name: 'url' },
      ],
    },
    failingChecks(of, 7),
    firingAlerts(of, 6),
  ],
};

const checks: Section = {
  title: 'Checks',
  panels: [
    {
      title: 'Checks',
      description: 'Result of each check over time. A gap is a time without a report: the node did not respond.',
      view: 'states',
      width: 24,
      height: 12,
      words: passing,
      queries: [{ expr: of('snowgauge_check_healthy'), legend: `{{check}} ${who}` }],
    },
    lines({
      title: 'Consecutive failures',
      description: 'Number of consecutive failed runs of each check. The first passed run resets it to 0.',
      unit: 'short',
      min: 0,
      queries: [{ expr: of('snowgauge_check_contiguous_failures'), legend: `{{check}} ${who}` }],
    }),
    lines({
      title: 'Check duration, the 10 longest',
      description: 'A check whose duration keeps growing may hang next. One check that hangs blocks all others.',
      unit: 's',
      min: 0,
      queries: [{ expr: `topk(10, ${of('snowgauge_check_duration_seconds')})`, legend: `{{check}} ${who}` }],
    }),
    lines({
      title: 'Age of each check',
      description:
        'Time since the last run, corrected for clock skew. Healthy: a sawtooth as high as the check interval. A ramp: the health worker is frozen.',
      unit: 's',
      min: 0,
      queries: [
        {
          expr: `time() - ${of('snowgauge_check_last_run_timestamp_seconds')}`,
          legend: `{{check}} ${who}`,
        },
      ],
    }),
  ],
};

export const node: Board = {
  uid: dashboards.node.uid,
  title: 'Snowgauge / Node',
  description: 'One node: health, failing checks with their reasons, and the age of the report.',
  variables: [
    variables.cluster,
    variables.job,
    variables.namespace,
    variables.network,
    variables.worstPod,
    variables.worstTarget,
    variables.chain,
  ],
  marks: marks(of),
  sections: [now, checks, chain, network, machine, resources],
};
