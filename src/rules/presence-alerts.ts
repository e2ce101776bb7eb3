// Alerts on targets that are missing: those that were watched, and those that are expected.

import { ofExporters } from './presence-recordings.ts';
import { type Alert, dashboards } from './rule.ts';
import { vectorOf } from './terms.ts';
import { agreeing, theNode } from './texts.ts';

const ofWhat =
  '{{ with $labels.namespace }}in {{ . }} {{ end }}{{ with or $labels.job $labels.tag_set $labels.statefulset }}of {{ . }} {{ end }}';

export const presenceAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeTargetMissing',
    severity: 'critical',
    scope: 'target',
    when: 'a target that was watched, or in maintenance, within `targetSeenWithin` is no longer watched, and its exporter is gone; does not fire if `SnowgaugeExporterDown` fires for that exporter, nor for a target that its source of discovery no longer lists, or whose node (NodeID and network) is watched as another target',
    // An operator who drops SnowgaugeExporterDown gets this alert instead.
    expr: ({ set }) => `group by (${set.identity}) (
  snowgauge:unwatched_lately
  unless on (${set.exporter}, exporter_pod)
  ${ofExporters({ set }, 'up')}
  unless on (${set.exporter}, exporter_pod)
  (snowgauge:exporter_down and on (${set.fleet}) ALERTS{alertname="SnowgaugeExporterDown"})
)
unless on (${set.fleet})
snowgauge:fleet_absent`,
    for: '5m',
    summary: `Target ${theNode} is missing.`,
    description: `${theNode} was watched before, but the target and its exporter are gone: the pod was deleted, or its exporter does not start. If this is intended, open a maintenance window; the alert resolves by itself after <targetSeenWithin>.`,
    dashboard: dashboards.node,
  },
  {
    name: 'SnowgaugeTargetsTooFew',
    severity: 'critical',
    scope: 'exporter',
    when: 'a fleet, job, tag set or StatefulSet has had fewer targets within `targetSeenWithin` than are expected, those in maintenance included: `expectedTargets`, `expectedJobs`, `expectedTagSets`, or the replicas that kube-state-metrics reports',
    // Targets that have just disappeared still count for this window: they have another alert.
    expr: ({ set, of, lately }) => {
      const gone = `(
  snowgauge:unwatched_lately
  unless on (${set.exporter}, exporter_pod)
  ${lately('snowgauge:exporter_scraped')}
)`;
      const tagSets = `last_over_time(snowgauge:ready[${set.exporterSeenWithin}])`;
      const ofTagSet = `snowgauge:ready or (${tagSets} and on (${set.identity}) ${gone})`;
      // If none is left, the fleet that had some alerts, as long as it still has an exporter.
      const named = (label: string, targets: string, seen: string, counts: string): string => {
        const expected = `(${vectorOf(counts, label)})`;
        return `(
  count by (${set.fleet}, ${label}) (group by (${set.identity}, ${label}) (${targets}))
  or
  0 * group by (${set.fleet}, ${label}) (${seen} and on (${set.fleet}) ${lately('snowgauge:exporter_scraped')})
)
  < on (${label}) group_left ()
${expected}
or
0 * (${expected} > 0) unless on (${label}) ${seen}`;
      };
      const ofPods = (vector: string): string => `label_replace(${vector}, "statefulset", "$1", "pod", "(.+)-[0-9]+")`;
      const all = `(snowgauge:up or group by (${set.identity}) ${gone})`;
      return `count by (${set.fleet}) ${all} < ${set.expectedTargets}
or
(0 * group by (${set.fleet}) (${lately(of('snowgauge_build_info'))}) unless on (${set.fleet}) ${all}) < ${set.expectedTargets}
or
${named('job', `snowgauge:identity or ${gone}`, 'snowgauge:watched_at', set.expectedJobs)}
or
${named('tag_set', ofTagSet, tagSets, set.expectedTagSets)}
or
(
  count by (${set.fleet}, statefulset) (group by (${set.fleet}, pod, statefulset) (${ofPods(all)}))
    < on (${set.fleet}, statefulset) group_left ()
  max by (${set.fleet}, statefulset) (${lately(`kube_statefulset_replicas{statefulset=~"${set.expectedStatefulSets}"}`)})
  unless on (${set.fleet}, statefulset)
  ${ofPods('snowgauge:ready == 0')}
)`;
    },
    for: '15m',
    summary: `Not all expected targets ${ofWhat}are watched: only {{ $value }}.`,
    description: `{{ $value }} of the expected targets ${ofWhat}${agreeing('is', 'are')} watched: nodes have disappeared, or were never added.`,
    dashboard: dashboards.fleet,
  },
];
