// Variables, and how an expression is narrowed to what they say.

import type { Mark, Variable } from './board.ts';

type Family = `snowgauge${'_' | ':'}${string}` | 'up' | 'ALERTS' | `${'process' | 'nodejs' | 'scrape'}_${string}`;

/** A family, narrowed by variables and further matchers. Outside Kubernetes there is no pod: `.*` and "" match that too. */
export type Of = (family: Family, ...matchers: readonly string[]) => string;

const narrowed =
  (...labels: readonly string[]): Of =>
  (family, ...matchers) =>
    `${family}{${[...labels.map((label) => `${label}=~"$${label}"`), ...matchers].join(', ')}}`;

export const ofCluster = narrowed('cluster');
export const ofNamespace = narrowed('cluster', 'namespace');
export const ofPod = narrowed('cluster', 'namespace', 'pod');
export const ofTarget = narrowed('cluster', 'namespace', 'pod', 'target');
export const ofTagSet = narrowed('cluster', 'namespace', 'pod', 'target', 'tag_set');

// snowgauge_up and the conditions have samples whatever becomes of the node.
export const variables = {
  cluster: { name: 'cluster', label: 'Cluster', from: 'snowgauge_build_info', of: 'cluster', many: true },
  namespace: { name: 'namespace', label: 'Namespace', from: ofCluster('snowgauge_build_info'), of: 'namespace', many: true },
  pod: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge_build_info'), of: 'pod' },
  pods: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge_build_info'), of: 'pod', many: true },
  target: { name: 'target', label: 'Node', from: ofPod('snowgauge_up'), of: 'target' },
  targets: { name: 'target', label: 'Node', from: ofPod('snowgauge_up'), of: 'target', many: true },
  tagSet: {
    name: 'tag_set',
    label: 'Tag set',
    from: ofTarget('snowgauge_target_condition', 'condition="Ready"'),
    of: 'tag_set',
    single: true,
  },
} as const satisfies Readonly<Record<string, Variable>>;

/** Facts of a node, narrowed to the checks, or to the chains, of the chosen tag set. */
export const ofItsChecks = (expr: string, ...others: readonly string[]): string =>
  `${expr}
and ignoring (${['tag_set', ...others].join(', ')})
${ofTagSet('snowgauge_tag_set_check_info')}`;

export const ofItsChains = (family: Family): string =>
  `(
  ${ofTarget(family)}
  and ignoring (tag_set)
  ${ofTagSet('snowgauge:tag_set_chain_info')}
)`;

/** The status of a condition as one number: 0 false, 1 true, 2 unknown. `statuses` has the words. */
export const statusOf = (of: Of, condition: 'Live' | 'Ready'): string =>
  ['false', 'true', 'unknown']
    .map((status, at) => {
      const one = of('snowgauge_target_condition', `condition="${condition}"`, `status="${status}"`);
      return `max without (status) (${one} == 1) * ${at}`;
    })
    .join('\nor\n');

/** What happened, over every graph: to checks, of the chosen tag set where one is chosen, and to nodes. */
export const marks = (
  of: Of,
  narrow: (expr: string, ...others: readonly string[]) => string = (expr) => expr,
): readonly Mark[] => [
  {
    name: 'Transitions of checks',
    expr: narrow(`increase(${of('snowgauge_check_transitions_total')}[1m]) > 0`, 'to'),
    title: '{{check}}: {{to}}',
    text: '{{target}} {{pod}}',
    colour: 'orange',
  },
  {
    name: 'Restarts of nodes',
    expr: `increase(${of('snowgauge_node_restarts_total')}[1m]) > 0`,
    title: '{{target}} was restarted',
    text: '{{pod}}',
    colour: 'blue',
  },
];
