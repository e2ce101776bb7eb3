// The building blocks of expressions, for given settings.
//
// Prometheus adds labels at a scrape, and most of them can change: a pod gets another address, an exporter another pod, and an exporter may
// have replicas. A rule that used them would lose its history with each change. So each family is first reduced to the identity labels of a
// target, by a join with snowgauge:identity, and all other rules use the result.

import type { Aggregation, Terms } from './rule.ts';

export const termsOf = (set: Terms['set']): Terms => {
  const selected = (family: string, matchers: readonly string[]): string => {
    const all = [set.selector, ...matchers].filter((matcher) => matcher !== '').join(', ');
    return all === '' ? family : `${family}{${all}}`;
  };
  const toIdentity = (by: Aggregation, vector: string, labels: readonly string[], identities = 'snowgauge:identity'): string =>
    `${by} by (${[set.identity, ...labels].join(', ')}) (
  label_replace(
    ${vector},
    "exporter_pod", "$1", "pod", "(.*)"
  )
    * on (${set.exporter}, exporter_pod, target) group_left (pod)
  ${identities}
)`;
  const lately = (vector: string): string => `last_over_time(${vector}[${set.scrapeGap}])`;
  const orLast = (selector: string): string => `${selector}
or
${lately(selector)}
  unless on (${set.exporter}, pod, target) ${selected('snowgauge_up', [])}
  unless on (${set.exporter}, pod, target) snowgauge:removed`;
  // Also counts what was counted at a pod's previous address, or by another exporter, as long as the target is still watched.
  const seen = (window: string): string => `snowgauge:identity
    or on (${set.exporter}, exporter_pod, target)
    (last_over_time(snowgauge:identity[${window}]) and on (${set.identity}) snowgauge:identity)`;
  const counted: Terms['counted'] = (family, labels, window, matchers = []) =>
    toIdentity(
      'max',
      `round(increase(${selected(family, matchers)}[${window}]))`,
      labels,
      `(
    ${seen(window)}
  )`,
    );
  return {
    set,
    of: (family, ...matchers) => selected(family, matchers),
    lately,
    orLast,
    withNodeId: (vector) =>
      `${vector} * on (${set.identity}) group_left (node_id) topk by (${set.identity}) (1, snowgauge:node_id)`,
    perExporter: (by, vector, labels = []) => `${by} by (${[set.fleet, 'pod', ...labels].join(', ')}) (
  ${podOrInstance(vector)}
)`,
    identified: (by, family, labels, matchers = []) =>
      toIdentity(by, orLast(selected(family, matchers)).replaceAll('\n', '\n    '), labels),
    kept: (now, record, labels, window) => `${now}
or on (${[set.identity, ...labels].join(', ')})
(
  last_over_time(${record}[${window}])
  and on (${set.identity})
  (snowgauge:up == 0 or snowgauge:bootstrapping_subnets > 0)
)`,
    counted,
    // increase() ignores the first sample of a series.
    countedFromStart: (family, labels, window) => `${counted(family, labels, window)} > 0
or
${toIdentity(
  'max',
  `last_over_time(${selected(family, [])}[${window}])`,
  labels,
  `(
    (
      ${seen(window).replaceAll('\n', '\n  ')}
    )
    unless on (${set.exporter}, exporter_pod, target)
    last_over_time(snowgauge:identity[${set.exporterSeenWithin}] offset ${window})
  )`,
)}`,
  };
};

/** Uses `instance` as `pod` if there is no pod. Keeps the label `instance`, because a pod may have two of them for a while. */
export const podOrInstance = (vector: string, pod = 'pod'): string =>
  `label_replace(label_join(${vector}, "pod", ";", "${pod}", "instance"), "pod", "$1$2", "pod", ";(.*)|(.+);.*")`;

/** `label`: what the names in `counts` are. The chart does the same with its values: see `counts` in its files/rules.json. */
export const vectorOf = (counts: string, label: string): string =>
  counts.replace(/, */g, ' or ').replace(/([\w./:-]+)=(\d+)/g, `label_replace(vector($2), "${label}", "$1", "", "")`);
