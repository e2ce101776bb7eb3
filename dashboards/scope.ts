// The variables of the dashboards, and expressions restricted by them.

import { identityLabels } from '../src/rules/thresholds.ts';
import type { Mark, Variable } from './board.ts';

type Family =
  | `snowgauge${'_' | ':'}${string}`
  | 'up'
  | 'ALERTS'
  | `${'process' | 'nodejs' | 'scrape' | 'container' | 'kube' | 'kubelet'}_${string}`;

/** Identifies a series in a legend, unambiguous across clusters. */
export const who = '{{cluster}} {{namespace}} {{pod}} {{target}}';

/** A family restricted by variables and further matchers. `.*` and "" also match series without the label. */
export type Of = (family: Family, ...matchers: readonly string[]) => string;

// The pod of a remote exporter is not the one of the identity, and recording rules have neither pod nor job: an empty value, as
// links from there pass it, matches every pod. `\b` makes validator-1 not match validator-10.
const matcherOf = (label: string): string => (label === 'pod' ? 'pod=~"(?:$pod\\\\b.*)?"' : `${label}=~"$${label}"`);

const narrowed =
  (...labels: readonly string[]): Of =>
  (family, ...matchers) => {
    const isRecorded = family.includes(':') || family === 'ALERTS';
    const own = isRecorded ? labels.filter((label) => label !== 'job') : labels;
    // Alerts on the whole node have no tag set.
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
/** Also matches what is about several nodes, which lacks some of the labels. */
export const ofFleet: Of = (family, ...matchers) =>
  `${family}{${[...['cluster', 'namespace', 'target'].map((label) => `${label}=~"(?:$${label})?"`), ...matchers].join(', ')}}`;
/** Metrics of cAdvisor, kube-state-metrics and the kubelet: other jobs, the same pods. None for a node without a pod. */
export const ofResources: Of = (family, ...matchers) =>
  `${family}{${['cluster=~"$cluster"', 'namespace=~"$namespace"', 'pod=~"$pod"', 'pod!=""', ...matchers].join(', ')}}`;

const rank = (condition: string, value: number): string => `(${condition}) * 0 + ${value}`;

/** One number per node: its worst state, by `ranks`. */
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

/** The worst state of the nodes of the selected networks. */
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

/** Facts of a node, restricted to the checks or chains of the selected tag set. */
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

/** The status of a condition as a number: 0 False, 1 True, 2 Unknown; `statuses` has the texts. */
export const statusOf = (of: Of, condition: 'Live' | 'Ready'): string =>
  ['false', 'true', 'unknown']
    .map((status, at) => {
      const one = of('snowgauge_target_condition', `condition="${condition}"`, `status="${status}"`);
      return `max without (status) (${one} == 1) * ${at}`;
    })
    .join('\nor\n');

const rewardStates = ['on-track', 'unknown', 'at-risk', 'lost'];

/** The worst state in the time range, first in `or`. Not a subquery, which holds the samples of all validators in memory. */
export const worstRewardOf = (of: Of): string =>
  [
    `(min_over_time(${of('snowgauge:validator_expected')}[$__range] @ end()) == 0) + 4`,
    ...rewardStates
      .map((state, rank) => {
        const one = `max_over_time(${of('snowgauge:validator_reward', `state="${state}"`)}[$__range] @ end())`;
        return `max without (state) (${one} == 1) * ${rank}`;
      })
      .toReversed(),
  ].join('\nor\n');

/**
 * The state of the reward as a number, for validators and expected validators: `rewards` has the texts. The parts come from the
 * rules or from the exporter, depending on the labels of the expression beside them.
 */
export const rewardOf = (
  of: Of,
  reward: Family = 'snowgauge:validator_reward',
  expected: Family = 'snowgauge:validator_expected',
): string =>
  [
    ...rewardStates.map((state, rank) => `max without (state) (${of(reward, `state="${state}"`)} == 1) * ${rank}`),
    `(${of(expected)} == 0) + 4`,
  ].join('\nor\n');

/**
 * Annotations on every graph: events of the checks, of the selected tag set if any, and of nodes. With scrapes up to two minutes
 * apart, four minutes contain the two samples that increase() requires.
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
