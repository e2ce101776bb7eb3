// All nodes, worst first: the entry point in an incident.

import { dashboards } from '../src/rules/rule.ts';
import type { Board } from './board.ts';
import {
  diskFree,
  failingFor,
  nodeColumn,
  none,
  noneIsBest,
  peers,
  plain,
  ranks,
  rewards,
  stake,
  validatorLink,
  whereColumns,
} from './looks.ts';
import { marks, ofNodes as of, ofFleet, rewardOf, variables, who, worst, worst20 } from './scope.ts';
import { count, failingChecks, firingAlerts } from './shared.ts';

export const fleet: Board = {
  uid: dashboards.fleet.uid,
  title: 'Snowgauge / Fleet',
  description: 'All nodes, worst first.',
  variables: [variables.cluster, variables.job, variables.namespace, variables.network, variables.targets],
  marks: marks(of),
  sections: [
    {
      title: 'Now',
      panels: [
        count('Nodes', 'Watched nodes.', of('snowgauge:up'), plain),
        count('No response', 'Nodes without a fresh health report for 3 check intervals.', `${of('snowgauge:up')} == 0`),
        count(
          'Frozen',
          'Nodes that respond, but whose checks no longer run: their reports are outdated.',
          `${of('snowgauge:frozen')} == 1`,
        ),
        count(
          'Failing checks',
          'Nodes with a failing check, excluding startup.',
          `count without (check) (${of('snowgauge:check_failing')})`,
          noneIsBest,
        ),
        count(
          'Not ready',
          'Nodes that are not ready for at least one tag set. If their readiness probe uses snowgauge, they receive no traffic.',
          `min without (tag_set) (${of('snowgauge:ready')}) == 0`,
          noneIsBest,
        ),
        count(
          'Shared failures',
          'Checks that fail on most nodes of a fleet: the cause is shared, or it is the network.',
          `${ofFleet('snowgauge:shared')} == 1`,
          noneIsBest,
        ),
        firingAlerts(ofFleet, 7),
        {
          title: 'Nodes, worst first',
          description:
            'The worst state of each node. Stake is the lowest connected fraction among its chains. Click a node for its dashboard, or its reward for the dashboard of validators.',
          view: 'table',
          width: 24,
          height: 10,
          queries: [
            { expr: worst(of) },
            { expr: `count without (check) (${of('snowgauge:check_failing')})` },
            { expr: `max without (check) (${of('snowgauge:check_failing_seconds')})` },
            { expr: `min without (chain) (${of('snowgauge:chain_connected_ratio')})` },
            { expr: of('snowgauge:peers') },
            { expr: of('snowgauge:disk_available_ratio') },
            { expr: `time() - ${of('snowgauge:last_report')}` },
            { expr: rewardOf(of) },
          ],
          worst: 'state',
          columns: [
            { of: 'A', name: 'state', words: ranks },
            ...whereColumns,
            nodeColumn,
            { of: 'B', name: 'failing checks', steps: none },
            { of: 'C', name: 'for', unit: 's', steps: failingFor },
            { of: 'D', name: 'lowest stake', unit: 'percentunit', steps: stake },
            { of: 'E', name: 'peers', steps: peers },
            { of: 'F', name: 'disk free', unit: 'percentunit', steps: diskFree },
            { of: 'G', name: 'last report', unit: 's' },
            { of: 'H', name: 'reward', words: rewards, link: validatorLink },
          ],
        },
        failingChecks(of),
      ],
    },
    {
      title: 'History',
      panels: [
        {
          title: 'Health, the 20 worst',
          description: 'Health over time of each node and tag set. A gap is a time without a report.',
          view: 'states',
          width: 24,
          height: 10,
          words: { '0': ['unhealthy', 'red'], '1': ['healthy', 'green'] },
          queries: [
            {
              expr: worst20(of('snowgauge_health_healthy')),
              legend: `${who} {{tag_set}}`,
            },
          ],
        },
        {
          title: 'Connected stake, the 10 lowest',
          description: 'Lowest fraction of stake among the chains of each node. Below 80 % the node reports the chain unhealthy.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'percentunit',
          steps: stake,
          max: 1,
          queries: [{ expr: `bottomk(10, min without (chain) (${of('snowgauge:chain_connected_ratio')}))`, legend: who }],
        },
        {
          title: 'Peers, the 10 fewest',
          description: 'If one node loses its peers, the cause is the node; if all lose them, the cause is the network.',
          view: 'lines',
          width: 12,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [{ expr: `bottomk(10, ${of('snowgauge:peers')})`, legend: who }],
        },
      ],
    },
  ],
};
