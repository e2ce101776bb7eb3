// The first recording rules: which series belong to which target, and every family that other rules read, reduced to the identity labels.
//
// The identity is the target, its cluster and namespace, and, if the exporter is a sidecar, its pod. An exporter is a sidecar if the URL of
// its node is on loopback. Without a pod label, as with a plain scrape configuration, the instance is used as the pod. The pod of an
// exporter that watches other hosts is left out, because its replicas watch the same nodes.

import { ruleInputs } from './inputs.ts';
import type { Recording, RuleInput } from './rule.ts';
import { together } from './shard-recordings.ts';

const identity: readonly Recording[] = [
  {
    record: 'snowgauge:settled',
    help: 'Always 1, for each exporter that is scraped and watches every target of its configuration: the configuration is valid, and if it is a shard, the shards agree.',
    expr: (terms) => {
      const { set, of } = terms;
      return `${of('snowgauge_config_last_reload_successful')} == 1
unless on (${set.exporter}, pod)
(
  snowgauge:shard
  unless on (${set.exporter}, pod)
  (${of('snowgauge_shard_info')} and on (${together(terms)}) snowgauge:shards_disagree == 0)
)`;
    },
  },
  {
    record: 'snowgauge:removed',
    help: 'Always 1, for each target that was removed from the configuration within `scrapeGap`, and whose exporter is still scraped.',
    // A target that discovery no longer finds may return within a minute, with another pod or with the first list after a start. So may all
    // targets of an exporter without a valid configuration, or of a shard that does not know their number yet. If a target is scraped
    // separately, its scrape may be lost: then it still has an `up`.
    expr: ({ set, of, lately }) => {
      const last = (scraped: string): string =>
        lately(of('snowgauge_target_info', 'source="configuration"', `exporter_instance${scraped}""`));
      return `group by (${set.exporter}, pod, target) (
  ${last('=')}
  and on (${set.exporter}, pod)
  snowgauge:settled
  or
  ${last('!=')}
  and on (${set.fleet}, job, exporter_instance)
  label_replace(snowgauge:settled, "exporter_instance", "$1", "instance", "(.*)")
  unless on (${set.exporter}, pod)
  up${set.selector === '' ? '' : `{${set.selector}}`}
)
unless on (${set.exporter}, pod, target)
${of('snowgauge_target_info')}`;
    },
  },
  {
    record: 'snowgauge:scraped',
    help: '`snowgauge_up` of every target except reference nodes. While an exporter cannot be scraped or has not polled the target yet, its last value.',
    expr: ({ of, orLast }) => orLast(of('snowgauge_up', 'reference!="true"')),
  },
  {
    record: 'snowgauge:remote',
    help: 'Always 1, for each target whose exporter is not a sidecar.',
    expr: ({ set, of, lately }) =>
      `group by (${set.exporter}, pod, target) (${lately(of('snowgauge_target_info', `url!~"${set.sidecarUrls}"`))})`,
  },
  {
    record: 'snowgauge:exporter_target',
    help: 'Always 1. One series for each exporter and target; `pod` is part of the identity, `exporter_pod` is the pod of the exporter. If each target is scraped separately, `exporter_instance` is the `instance` of its exporter.',
    expr: ({ set }) => {
      const remote = `on (${set.exporter}, pod, target) snowgauge:remote`;
      return `group by (${set.exporter}, exporter_pod, exporter_instance, ${set.identity}) (
  label_replace(snowgauge:scraped{pod!=""} unless ${remote}, "exporter_pod", "$1", "pod", "(.*)")
  or
  label_replace(snowgauge:scraped{pod=""} unless ${remote}, "pod", "$1", "instance", "(.*)")
  or
  label_replace(
    label_replace(snowgauge:scraped and ${remote}, "exporter_pod", "$1", "pod", "(.*)"),
    "pod", "", "", ""
  )
)`;
    },
  },
  {
    record: 'snowgauge:identity',
    help: 'The same for current exporters: those that are scraped now, or the last ones of a target without any. All other rules join with it.',
    expr: ({ set, of }) => {
      const scraped = `snowgauge:exporter_target and on (${set.exporter}, exporter_pod, target) label_replace(${of('snowgauge_up')}, "exporter_pod", "$1", "pod", "(.*)")`;
      return `group by (${set.exporter}, exporter_pod, ${set.identity}) (
  ${scraped}
  or
  snowgauge:exporter_target unless on (${set.identity}) (${scraped})
)`;
    },
  },
];

const inputRecording = ({ record, help, by, family, labels = [], matchers = [], kept }: RuleInput): Recording => ({
  record,
  help: kept === true ? `${help} While the node is down or bootstraps, the last value.` : help,
  expr: (terms) => {
    const now = terms.identified(by, family, labels, matchers);
    // The window is not longer, because a value that the node has denied since must not return when the node goes down.
    return kept === true ? terms.kept(now, record, labels, terms.set.scrapeGap) : now;
  },
});

export const identityRecordings: readonly Recording[] = [...identity, ...ruleInputs.map(inputRecording)];
