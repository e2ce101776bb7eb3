// Variables, and how an expression is narrowed to what they say.

import type { Mark, Variable } from './board.ts';

type Family = `snowgauge${'_' | ':'}${string}` | 'up' | 'ALERTS' | `${'process' | 'nodejs' | 'scrape'}_${string}`;

/** A family, narrowed by variables and further matchers. Outside Kubernetes there is no pod: `.*` and "" match that too. */
export type Of = (family: Family, ...matchers: readonly string[]) => string;

const narrowed =
  (...labels: readonly string[]): Of =>
  (family, ...matchers) =>
    `${family}{${[...labels.map((label) => `${label}=~"$${label}"`), ...matchers].join(', ')}}`;

export const ofNamespace = narrowed('namespace');
export const ofPod = narrowed('namespace', 'pod');
export const ofTarget = narrowed('namespace', 'pod', 'target');
export const ofTagSet = narrowed('namespace', 'pod', 'target', 'tag_set');

// snowgauge_polls_total and the verdicts have samples whatever becomes of the node.
export const variables = {
  namespace: { name: 'namespace', label: 'Namespace', from: 'snowgauge_build_info', of: 'namespace', many: true },
  pod: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge_build_info'), of: 'pod' },
  pods: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge_build_info'), of: 'pod', many: true },
  target: { name: 'target', label: 'Node', from: ofPod('snowgauge_up'), of: 'target' },
  targets: { name: 'target', label: 'Node', from: ofPod('snowgauge_up'), of: 'target', many: true },
  tagSet: { name: 'tag_set', label: 'Tag set', from: ofTarget('snowgauge_target_ready'), of: 'tag_set', single: true },
} as const satisfies Readonly<Record<string, Variable>>;

/** What happened, over every graph: to checks, and to nodes, which know of no tag sets. */
export const marks = (of: Of, ofNode: Of = of): readonly Mark[] => [
  {
    name: 'Transitions of checks',
    expr: `max without (tag_set) (increase(${of('snowgauge_check_transitions_total')}[1m])) > 0`,
    title: '{{check}}: {{to}}',
    text: '{{target}} {{pod}}',
    colour: 'orange',
  },
  {
    name: 'Restarts of nodes',
    expr: `increase(${ofNode('snowgauge_node_restarts_total')}[1m]) > 0`,
    title: '{{target}} was restarted',
    text: '{{pod}}',
    colour: 'blue',
  },
];
