// Alerts on shards: whether all are present, whether they agree, and whether each knows the number of shards.

import { type Alert, dashboards } from './rule.ts';
import { agreeing, countedValue, theExporter } from './texts.ts';

const ofThem =
  '{{ with or $labels.statefulset $labels.job }} of {{ . }}{{ end }}{{ with $labels.namespace }} in {{ . }}{{ end }}';

export const shardAlerts: readonly Alert[] = [
  {
    name: 'SnowgaugeShardMissing',
    severity: 'warning',
    scope: 'exporter',
    when: 'fewer shards are scraped than expected',
    expr: () => 'snowgauge:shards_missing > 0',
    for: '10m',
    summary: `Shards${ofThem} are missing: {{ $value }}.`,
    description: `${countedValue('shard')}${ofThem} ${agreeing('is', 'are')} not scraped, or ${agreeing('does', 'do')} not know the number of shards. The targets of a shard that stopped are not watched by any other shard; the targets of a new shard stay with their previous owner until it is ready.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeShardsDisagree',
    severity: 'warning',
    scope: 'exporter',
    when: 'all shards are present, but they disagree on their number, or watch more or fewer targets in total than exist, or a handover to another shard does not complete',
    expr: () => 'snowgauge:shards_disagree == 1',
    for: '15m',
    summary: `Shards${ofThem} disagree on the assignment of targets.`,
    description: `Shards${ofThem} disagree on the number of shards or on the list of targets, or one of them does not become ready: some targets may be watched by no shard, or by two.`,
    dashboard: dashboards.exporter,
  },
  {
    name: 'SnowgaugeShardWatchFailing',
    severity: 'warning',
    scope: 'exporter',
    when: 'a shard cannot watch its StatefulSet, and keeps the last known number of shards',
    expr: ({ of, lately, perExporter }) => `${perExporter('min', lately(of('snowgauge_shard_watch_successful')))} == 0`,
    for: '10m',
    summary: `Shard ${theExporter} cannot watch its StatefulSet.`,
    description: `Shard ${theExporter} cannot watch its StatefulSet, and keeps the last known number of shards. Once the StatefulSet is scaled, some targets are watched by no shard, or by two; after a restart the shard does not become ready.`,
    dashboard: dashboards.exporter,
  },
];
