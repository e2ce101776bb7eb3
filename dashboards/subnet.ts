// One tag set on all nodes that have it: the health of a subnet.

import { dashboards } from '../src/rules/rule.ts';
import type { Board } from './board.ts';
import { healthy, none, passing, plain, ready, stake, yes } from './looks.ts';
import { marks, ofTagSet as of, ofItsChains, ofItsChecks, ofTarget, statusOf, variables, who, worst20 } from './scope.ts';
import { failingColumns, firingAlerts } from './shared.ts';

export const subnet: Board = {
  uid: dashboards.subnet.uid,
  title: 'Snowgauge / Subnet',
  description: 'One tag set, on all nodes that have it.',
  variables: [
    variables.cluster,
    variables.job,
    variables.namespace,
    variables.pods,
    variables.network,
    variables.targets,
    variables.tagSet,
  ],
  marks: marks(ofTarget, ofItsChecks),
  sections: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Nodes',
          description: 'Nodes that have this tag set.',
          view: 'number',
          width: 6,
          height: 4,
          unit: 'short',
          steps: plain,
          queries: [{ expr: `count(${of('snowgauge:ready')})` }],
        },
        {
          title: 'Unhealthy',
          description: 'Nodes that report the tag set unhealthy.',
          view: 'number',
          width: 6,
          height: 4,
          unit: 'short',
          steps: none,
          queries: [{ expr: `count(${of('snowgauge:unhealthy')} == 1) or vector(0)` }],
        },
        {
          title: 'Not ready',
          description:
            'Nodes that are not ready for the tag set. If their readiness probe uses snowgauge, they receive no traffic.',
          view: 'number',
          width: 6,
          height: 4,
          unit: 'short',
          steps: none,
          queries: [{ expr: `count(${of('snowgauge:ready')} == 0) or vector(0)` }],
        },
        {
          title: 'Tags known',
          description: 'No: the node has no check with a tag of the tag set, so only global checks are reported for it.',
          view: 'number',
          width: 6,
          height: 4,
          words: yes,
          queries: [{ expr: `min(${of('snowgauge_tag_known')})` }],
        },
        {
          title: 'Failing checks and reasons',
          description: 'Failing checks of this tag set on each node, longest failing first.',
          view: 'table',
          width: 24,
          height: 8,
          queries: [{ expr: of('snowgauge:tag_set_check_failing_seconds') }],
          worst: 'failing for',
          columns: failingColumns,
        },
        firingAlerts(of, 6),
      ],
    },
    {
      title: 'History',
      panels: [
        {
          title: 'Health, the 20 worst',
          description: 'Health of the tag set as each node reports it. A gap is a time without a report.',
          view: 'states',
          width: 12,
          height: 8,
          words: healthy,
          queries: [{ expr: worst20(of('snowgauge_health_healthy')), legend: who }],
        },
        {
          title: 'Readiness, the 20 worst',
          description: 'Result of the readiness probe: failures below failAfter do not count.',
          view: 'states',
          width: 12,
          height: 8,
          words: ready,
          queries: [
            {
              expr: `(
${statusOf(of, 'Ready')}
)
and ignoring (status)
bottomk(20, avg_over_time(${of('snowgauge_target_condition', 'condition="Ready"', 'status="true"')}[$__range] @ end()))`,
              legend: who,
            },
          ],
        },
        {
          title: 'Checks, the 20 worst',
          description: 'Result over time of each check of this tag set on each node.',
          view: 'states',
          width: 24,
          height: 8,
          words: passing,
          queries: [{ expr: worst20(of('snowgauge:tag_set_check_healthy')), legend: `{{check}} ${who}` }],
        },
        {
          title: 'Connected stake, the 10 lowest',
          description: 'Fraction of the stake of each chain that each node is connected to. Below 80 % the chain is unhealthy.',
          view: 'lines',
          width: 8,
          height: 8,
          unit: 'percentunit',
          steps: stake,
          max: 1,
          queries: [{ expr: `bottomk(10, ${ofItsChains('snowgauge_chain_connected_ratio')})`, legend: `{{chain}} ${who}` }],
        },
        {
          title: 'Blocks behind the highest node, the 10 most',
          description:
            'Blocks that each node is behind the highest of your nodes in the same network, or of the selected nodes if the network is unknown.',
          view: 'lines',
          width: 8,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `topk(10, (
  ${ofTarget('snowgauge:chain_behind_blocks')}
  and on (chain)
  ${of('snowgauge:tag_set_chain_info')}
)
or on (cluster, namespace, target, chain)
(
  max by (chain) ${ofItsChains('snowgauge_chain_last_accepted_height')}
  - on (chain) group_right ()
  ${ofItsChains('snowgauge_chain_last_accepted_height')}
))`,
              legend: `{{chain}} ${who}`,
            },
          ],
        },
        {
          title: 'Disconnected validators, the 10 most',
          description: 'Number of validators of each chain that the node is not connected to.',
          view: 'lines',
          width: 8,
          height: 8,
          unit: 'short',
          min: 0,
          queries: [
            {
              expr: `topk(10, ${ofItsChains('snowgauge_chain_disconnected_validators')})`,
              legend: `{{chain}} ${who}`,
            },
          ],
        },
      ],
    },
  ],
};
