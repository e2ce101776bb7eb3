// Variables, and how an expression is narrowed to what they say.

import { identityLabels } from '../src/rules/thresholds.ts';
import type { Mark, Variable } from './board.ts';

type Family =
  | `snowgauge${'_' | ':'}${string}`
  | 'up'
  | 'ALERTS'
  | `${'process' | 'nodejs' | 'scrape' | 'container' | 'kube' | 'kubelet'}_${string}`;

/** Of a series in a legend: unambiguous in a fleet of clusters. */
export const who = '{{cluster}} {{namespace}} {{pod}} {{target}}';

/** A family, narrowed by variables and further matchers. Where a label is not there, `.*` and "" match that too. */
export type Of = (family: Family, ...matchers: readonly string[]) => string;

// The pod of an exporter of other hosts is not that of the identity, and recording rules have neither it nor the job: nothing, the
// value that a link from there gives, matches every pod. A word ends where the name does, so validator-1 is not validator-10.
const matcherOf = (label: string): string => (label === 'pod' ? 'pod=~"(?:$pod\\\\b.*)?"' : `${label}=~"$${label}"`);

const narrowed =
  (...labels: readonly string[]): Of =>
  (family, ...matchers) => {
    const isRecorded = family.includes(':') || family === 'ALERTS';
    const own = isRecorded ? labels.filter((label) => label !== 'job') : labels;
    // What is true of the whole node has no tag set.
    const all = own.map((label) => (family === 'ALERTS' && label === 'tag_set' ? 'tag_set=~"(?:$tag_set)?"' : matcherOf(label)));
    return `${family}{${[...all, ...matchers].join(', ')}}`;
  };

export const ofJob = narrowed('cluster', 'job');
export const ofNamespace = narrowed('cluster', 'job', 'namespace');
export const ofPod = narrowed('cluster', 'job', 'namespace', 'pod');
export const ofNodes = narrowed('cluster', 'job', 'namespace', 'target');
export const ofTarget = narrowed('cluster', 'job', 'namespace', 'pod', 'target');
export const ofTagSet = narrowed('cluster', 'job', 'namespace', 'pod', 'target', 'tag_set');
export const ofChain = narrowed('cluster', 'job', 'namespace', 'pod', 'target', 'chain');
/** Of cAdvisor, kube-state-metrics and the kubelet: their jobs are others, their pods are the same. */
export const ofResources = narrowed('cluster', 'namespace', 'pod');

const rank = (condition: string, value: number): string => `(${condition}) * 0 + ${value}`;

/** One number for each node: the worst that is true of it, as `ranks` names it. */
export const worst = (of: Of): string =>
  [
    rank(`${of('snowgauge:up')} == 0`, 6),
    rank(`${of('snowgauge:frozen')} == 1`, 5),
    rank(`min without (tag_set) (${of('snowgauge:ready')}) == 0 unless ${of('snowgauge:bootstrapping_subnets')} > 0`, 4),
    rank(`count without (check) (${of('snowgauge:check_failing')})`, 3),
    rank(`${of('snowgauge:bootstrapping_subnets')} > 0`, 2),
    rank(`min without (index) (${of('snowgauge:index_agrees')}) == 0`, 1),
    rank(of('snowgauge:up'), 0),
  ].join('\nor\n');

/** Of the nodes of the chosen networks. */
const worstIn = (of: Of): string => `(
${worst(of)}
)
and on (${identityLabels.join(', ')})
${ofNamespace('snowgauge:network', 'network=~"$network"')}`;

// snowgauge_up, snowgauge_target_info and the conditions have samples even while the node is down.
export const variables = {
  cluster: { name: 'cluster', label: 'Cluster', from: 'snowgauge_build_info', of: 'cluster', many: true },
  job: { name: 'job', label: 'Job', from: 'snowgauge_build_info{cluster=~"$cluster"}', of: 'job', many: true },
  namespace: { name: 'namespace', label: 'Namespace', from: ofJob('snowgauge_build_info'), of: 'namespace', many: true },
  pods: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge_build_info'), of: 'pod', many: true },
  worstPod: { name: 'pod', label: 'Pod', from: ofNamespace('snowgauge:up'), of: 'pod', worst: worstIn(ofNamespace) },
  network: { name: 'network', label: 'Network', from: ofNamespace('snowgauge_target_info'), of: 'network', many: true },
  targets: {
    name: 'target',
    label: 'Node',
    from: ofNamespace('snowgauge_target_info', 'network=~"$network"'),
    of: 'target',
    many: true,
    listed: true,
  },
  worstTarget: { name: 'target', label: 'Node', from: ofPod('snowgauge:up'), of: 'target', worst: worstIn(ofPod) },
  tagSet: {
    name: 'tag_set',
    label: 'Tag set',
    from: ofNodes('snowgauge_target_condition', 'condition="Ready"'),
    of: 'tag_set',
    single: true,
  },
  tagSets: {
    name: 'tag_set',
    label: 'Tag set',
    from: ofNodes('snowgauge_target_condition', 'condition="Ready"'),
    of: 'tag_set',
    many: true,
  },
  chain: { name: 'chain', label: 'Chain', from: ofTarget('snowgauge_chain_last_accepted_height'), of: 'chain', many: true },
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

/** The rows with the lowest values over the time range: a fleet has more of them than a timeline can show. */
export const worst20 = (selector: string): string => `${selector}
and
bottomk(20, avg_over_time(${selector}[$__range] @ end()))`;

/** The status of a condition as one number: 0 false, 1 true, 2 unknown. `statuses` has the words. */
export const statusOf = (of: Of, condition: 'Live' | 'Ready'): string =>
  ['false', 'true', 'unknown']
    .map((status, at) => {
      const one = of('snowgauge_target_condition', `condition="${condition}"`, `status="${status}"`);
      return `max without (status) (${one} == 1) * ${at}`;
    })
    .join('\nor\n');

/**
 * The state of the reward as one number, of validators and of those that are expected to be: `rewards` has the words. Each is of the
 * rules, or of the exporter, as the labels of what it stands beside are.
 */
export const rewardOf = (
  of: Of,
  reward: Family = 'snowgauge:validator_reward',
  expected: Family = 'snowgauge:validator_expected',
): string =>
  [
    ...['on-track', 'unknown', 'at-risk', 'lost'].map(
      (state, rank) => `max without (state) (${of(reward, `state="${state}"`)} == 1) * ${rank}`,
    ),
    `(${of(expected)} == 0) + 4`,
  ].join('\nor\n');

/**
 * What happened, over every graph: to checks, of the chosen tag set where one is chosen, and to nodes. Of scrapes up to two minutes
 * apart four minutes have two, which is what increase() takes.
 */
export const marks = (
  of: Of,
  narrow: (expr: string, ...others: readonly string[]) => string = (expr) => expr,
): readonly Mark[] => [
  {
    name: 'Transitions of checks',
    expr: narrow(`increase(${of('snowgauge_check_transitions_total')}[4m]) > 0`, 'to'),
    title: '{{check}}: {{to}}',
    text: who,
    colour: 'orange',
  },
  {
    name: 'Restarts of nodes',
    expr: `increase(${of('snowgauge_node_restarts_total')}[4m]) > 0`,
    title: '{{target}} was restarted',
    text: who,
    colour: 'blue',
  },
];
