// Which targets, exporters and fleets were present and are missing now. And which targets are in maintenance.

import type { Recording, Terms } from './rule.ts';

/**
 * One series for each exporter, from a vector with its own metrics. If its targets have other values of labels such as `namespace` than
 * its scrape, also one series with the labels of the targets.
 */
export const ofExporters = ({ set }: Pick<Terms, 'set'>, vector: string): string => {
  const own = `group by (${set.exporter}, exporter_pod) (
    label_replace(${vector}, "exporter_pod", "$1", "pod", "(.*)")
  )`;
  return `(
  ${own}
  or
  snowgauge:exporter_alias and ignoring (${set.fleet})
  ${own}
)`;
};

/** Served by `run --stay` if it was started with an invalid configuration: the exporter responds, but watches nothing. */
const unconfigured = ({ set, of }: Pick<Terms, 'set' | 'of'>): string =>
  `${of('snowgauge_config_last_reload_successful')} == 0 unless on (${set.exporter}, pod) ${of('snowgauge_config_last_reload_success_timestamp_seconds')}`;

/** `snowgauge:exporter_target` with the exporter's `instance`, also if each target is scraped separately. */
const byExporter = ({ set }: Pick<Terms, 'set'>, window = ''): string => {
  const seen = (which: string): string => {
    const vector = `snowgauge:exporter_target{exporter_instance${which}""}`;
    return window === '' ? vector : `last_over_time(${vector}[${window}])`;
  };
  return `group by (${set.exporter}, exporter_pod, ${set.identity}) (
  ${seen('=')}
  or
  label_replace(group without (instance) (${seen('!=')}), "instance", "$1", "exporter_instance", "(.*)")
)`;
};

export const presenceRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:network_seen',
    help: 'Time at which the network of a target was last known. The latest value is kept as long as the target is known.',
    expr: ({ set, identified }) => `topk by (${set.identity}) (1,
  0 * ${identified('max', 'snowgauge_target_info', ['network'], ['network!=""'])} + time()
  or
  last_over_time(snowgauge:network_seen[1h])
)
and on (${set.identity})
last_over_time(snowgauge:identity[${set.exporterSeenWithin}])`,
  },
  {
    record: 'snowgauge:network',
    help: 'Always 1, for each target that is or was watched, with the label `network` if its network was ever known. Alerts on a target take the label from here.',
    // After a restart of the node or the exporter the network is unknown for a while: without the label, it would be another alert.
    expr: ({ set }) => `group by (${set.identity}, network) (snowgauge:network_seen)
or on (${set.identity})
group by (${set.identity}) (last_over_time(snowgauge:identity[${set.exporterSeenWithin}]))`,
  },
  {
    record: 'snowgauge:node_id_seen',
    help: 'Time at which the NodeID of a target was last known, with the label `node_id`. The latest value is kept as long as the target is known.',
    expr: ({ set }) => `topk by (${set.identity}) (1,
  0 * snowgauge:node_id + time()
  or
  last_over_time(snowgauge:node_id_seen[1h])
)
and on (${set.identity})
last_over_time(snowgauge:identity[${set.exporterSeenWithin}])`,
  },
  {
    record: 'snowgauge:maintenance_last',
    help: 'End of the open maintenance window of a target, 0 if none is open. Of a target that is not watched, the last window while it is open.',
    // A sidecar may disappear with its pod. The 0 prevents that a window that was ended early returns.
    expr: () => `snowgauge:maintenance_end > time()
or
0 * snowgauge:up
or
last_over_time(snowgauge:maintenance_last[1h]) > time()`,
  },
  {
    record: 'snowgauge:maintenance',
    help: 'End of the maintenance window of a target, while it is open. Most alerts on the target do not fire meanwhile.',
    expr: () => 'snowgauge:maintenance_last > time()',
  },
  {
    record: 'snowgauge:discovered',
    help: 'Always 1, for each discovered target, with the job of its exporter and the source.',
    expr: ({ identified }) => identified('max', 'snowgauge_target_info', ['job', 'source'], ['source!~"configuration|probe|"']),
  },
  {
    record: 'snowgauge:unlisted',
    help: 'Always 1, for each target that was discovered within `exporterSeenWithin`, if all targets that its source lists now are watched.',
    // If discovered targets were dropped, or a shard is missing that would watch some, nobody can tell whether this target is one of them.
    expr: ({ set, of }) => `group by (${set.identity}) (
  last_over_time(snowgauge:discovered[${set.exporterSeenWithin}])
  and on (${set.fleet}, job, source)
  (min by (${set.fleet}, job, source) (${of('snowgauge_discovery_last_refresh_successful')}) == 1)
  unless on (${set.fleet}, job, source)
  (${of('snowgauge_discovery_dropped_targets')} > 0)
  unless on (${set.fleet}, job)
  (snowgauge:shards_missing > 0)
)`,
  },
  {
    record: 'snowgauge:watched_at',
    help: 'Time at which an exporter last watched a target, for all within `exporterSeenWithin`; `instance` is that of the exporter.',
    expr: ({ set }) => {
      const on = `${set.exporter}, exporter_pod, ${set.identity}`;
      return `0 * ${byExporter({ set })} + time()
or
last_over_time(snowgauge:watched_at[1h])
and on (${on})
${byExporter({ set }, set.exporterSeenWithin)}`;
    },
  },
  {
    record: 'snowgauge:exporter_alias',
    help: 'Always 1, for each exporter whose targets have other labels than its own scrape; carries the labels of the targets.',
    expr: ({ set, of }) => `group by (${set.exporter}, exporter_pod) (snowgauge:watched_at)
unless
group by (${set.exporter}, exporter_pod) (
  label_replace(last_over_time(${of('snowgauge_build_info')}[${set.exporterSeenWithin}]), "exporter_pod", "$1", "pod", "(.*)")
)`,
  },
  {
    record: 'snowgauge:exporter_scraped',
    help: 'Always 1, for each exporter that is currently scraped and has a valid configuration, or had one since it started.',
    expr: ({ set, of }) =>
      ofExporters({ set }, `${of('snowgauge_build_info')} unless on (${set.exporter}, pod) (${unconfigured({ set, of })})`),
  },
  {
    record: 'snowgauge:unwatched',
    help: 'Always 1, for each exporter that is gone and each target that it watched within `exporterSeenWithin`, if no exporter watches the target now and the last one that did is gone too.',
    // If the exporter is still there, the target was removed from its configuration.
    expr: ({ set }) => `${byExporter({ set }, set.exporterSeenWithin)}
unless on (${set.exporter}, exporter_pod)
snowgauge:exporter_scraped
unless on (${set.identity})
snowgauge:up
unless on (${set.identity})
(
  snowgauge:watched_at == on (${set.identity}) group_left () max by (${set.identity}) (snowgauge:watched_at)
  and on (${set.exporter}, exporter_pod)
  snowgauge:exporter_scraped
)`,
  },
  {
    record: 'snowgauge:unwatched_lately',
    help: 'The same for each target that was watched, or in maintenance, within `targetSeenWithin`; excludes targets that discovery no longer lists, and those whose node is watched elsewhere.',
    // A pod of a Deployment comes back with another name. The same key may be used in another network, by another node.
    expr: ({ set }) => `snowgauge:unwatched
unless on (${set.identity})
snowgauge:unlisted
unless on (${set.identity})
(
  snowgauge:node_id_seen * on (${set.identity}) group_left (network) snowgauge:network
  and on (node_id, network)
  (snowgauge:node_id * on (${set.identity}) group_left (network) snowgauge:network and on (${set.identity}) snowgauge:up)
)
and on (${set.identity})
(
  last_over_time(snowgauge:identity[${set.targetSeenWithin}])
  or
  last_over_time(snowgauge:maintenance[${set.targetSeenWithin}])
)`,
  },
  {
    record: 'snowgauge:exporter_down',
    help: 'Always 1, for each exporter that cannot be scraped or has no valid configuration, and whose targets no other exporter watches, unless all of them are in maintenance. If it then disappears, as long as its targets are missing.',
    // The pod of a machine that died is deleted after a while, with the scrape target: that is no other cause.
    expr: ({ set, of }) => {
      const on = `on (${set.exporter}, exporter_pod)`;
      return `${ofExporters({ set }, `up${set.selector === '' ? '' : `{${set.selector}}`} == 0 or (${unconfigured({ set, of })})`)}
and ${on}
(snowgauge:unwatched unless on (${set.identity}) snowgauge:maintenance)
or
last_over_time(snowgauge:exporter_down[${set.scrapeGap}])
and ${on}
(snowgauge:unwatched_lately unless on (${set.identity}) snowgauge:maintenance)`;
    },
  },
  {
    record: 'snowgauge:fleet_absent',
    help: '1 for each fleet that had an exporter within `exporterSeenWithin` and has none now, unless all of its targets are in maintenance.',
    expr: ({ set }) => `group by (${set.fleet}) (
  last_over_time(snowgauge:identity[${set.exporterSeenWithin}]) unless on (${set.identity}) snowgauge:maintenance
)
unless on (${set.fleet})
(
  snowgauge:exporter_scraped
  or
  snowgauge:watched_at and on (${set.exporter}, exporter_pod) snowgauge:exporter_scraped
)
unless on (${set.fleet})
snowgauge:exporter_down`,
  },
  {
    record: 'snowgauge:node_restarts',
    help: 'Number of restarts of a node within `restartWindow`.',
    expr: ({ set, counted }) => counted('snowgauge_node_restarts_total', [], set.restartWindow),
  },
  {
    record: 'snowgauge:node_restarts_since_start',
    help: 'Number of restarts of a node since its exporter started.',
    expr: ({ identified }) => identified('max', 'snowgauge_node_restarts_total', []),
  },
  {
    record: 'snowgauge:node_restarts_expected',
    help: '`snowgauge:node_restarts_since_start` at the end of a maintenance window within `restartWindow`, or now while one is open.',
    // An exporter that has started since then counts from 0 again, so those before do not matter.
    expr: ({ set }) => `snowgauge:node_restarts_since_start and on (${set.identity}) snowgauge:maintenance
or
(
  snowgauge:node_restarts_since_start < last_over_time(snowgauge:node_restarts_expected[${set.restartWindow}])
  or
  last_over_time(snowgauge:node_restarts_expected[${set.restartWindow}])
)
and on (${set.identity})
last_over_time(snowgauge:maintenance[${set.restartWindow}])`,
  },
];
