// Who was there, and is not: of a target, of an exporter, of a whole fleet. And what is being worked on.

import type { Recording } from './rule.ts';

const ofExporter = (vector: string): string => `label_replace(${vector}, "exporter_pod", "$1", "pod", "(.*)")`;

export const presenceRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:network_seen',
    help: 'When the network of a target was last known. The latest one stays for as long as the target is known.',
    expr: ({ set, identified }) => `topk by (${set.identity}) (1,
  0 * ${identified('max', 'snowgauge_target_info', ['network'], 'network!=""')} + time()
  or
  last_over_time(snowgauge:network_seen[1h])
)
and on (${set.identity})
last_over_time(snowgauge:identity[${set.exporterSeenWithin}])`,
  },
  {
    record: 'snowgauge:network',
    help: 'Always 1, for each target that is or was watched, with its network where it has been known. The alerts on a target get it from here.',
    // A restart of node or exporter forgets the network for a while: an alert that lost the label would be another alert.
    expr: ({ set }) => `group by (${set.identity}, network) (snowgauge:network_seen)
or on (${set.identity})
group by (${set.identity}) (last_over_time(snowgauge:identity[${set.exporterSeenWithin}]))`,
  },
  {
    record: 'snowgauge:maintenance',
    help: 'The end of the maintenance window of a target, while it is open. No alert on the target fires meanwhile.',
    // A sidecar may be gone with its pod: the end that it gave last stands.
    expr: ({ set }) => `snowgauge:maintenance_end > time()
or
(
  last_over_time(snowgauge:maintenance_end[1d]) > time()
  unless on (${set.identity})
  snowgauge:up
)`,
  },
  {
    record: 'snowgauge:unwatched',
    help: 'As `snowgauge:identity`, for each target of the last `exporterSeenWithin` that no exporter watches now, and whose exporter is gone.',
    // An exporter that is still there has had the target taken out of its configuration.
    expr: ({ set, of }) => `last_over_time(snowgauge:identity[${set.exporterSeenWithin}])
unless on (${set.exporter}, exporter_pod)
${ofExporter(of('snowgauge_build_info'))}
unless on (${set.identity})
snowgauge:up`,
  },
  {
    record: 'snowgauge:unwatched_lately',
    help: 'The same for each target that was watched, or in maintenance, within `targetSeenWithin`.',
    expr: ({ set }) => `snowgauge:unwatched
and on (${set.identity})
(
  last_over_time(snowgauge:identity[${set.targetSeenWithin}])
  or
  last_over_time(snowgauge:maintenance[${set.targetSeenWithin}])
)`,
  },
  {
    record: 'snowgauge:exporter_down',
    help: '1 for each exporter that cannot be scraped, and whose targets no other exporter watches, unless all of them are in maintenance.',
    expr: ({ set }) => `group by (${set.fleet}, pod) (
  ${ofExporter(`up${set.selector === '' ? '' : `{${set.selector}}`} == 0`)}
  and on (${set.exporter}, exporter_pod)
  (snowgauge:unwatched unless on (${set.identity}) snowgauge:maintenance)
)`,
  },
  {
    record: 'snowgauge:fleet_absent',
    help: '1 for each fleet of the last `exporterSeenWithin` without any exporter, unless all of it is in maintenance.',
    expr: ({ set, of }) => `group by (${set.fleet}) (
  last_over_time(snowgauge:identity[${set.exporterSeenWithin}]) unless on (${set.identity}) snowgauge:maintenance
)
unless on (${set.fleet})
${of('snowgauge_build_info')}
unless on (${set.fleet})
snowgauge:exporter_down`,
  },
  {
    record: 'snowgauge:node_restarts',
    help: 'Restarts of a node within `restartWindow`.',
    expr: ({ set, counted }) => counted('snowgauge_node_restarts_total', [], set.restartWindow),
  },
];
