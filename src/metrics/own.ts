// Families of the exporter itself: version, configuration, event history, pod labels and other state outside of the process.

import { type DiscoverySource, discoveryRows, droppedRow } from './discovery-families.ts';
import { collect, type Described, type Family, flag, type Row } from './family.ts';
import { type OverloadTally, overloadDefinitions, overloadFamilies } from './overload-families.ts';
import { type ShardTally, shardFamilies, shardRows } from './shard-families.ts';
import { type StateDirTally, stateDirRows } from './state-dir-families.ts';

export interface ReloadStatus {
  /** False if the last reload failed and the previous configuration is kept, or if there never was a valid one. */
  readonly successful: boolean;
  /** When the current configuration was loaded; seconds, exporter's clock. Absent if there is none. */
  readonly succeededAt?: number;
}

export interface Build {
  readonly version: string;
}

/** State of optional parts of the exporter; absent if a part is not in use. */
export interface Kept {
  readonly removedProbes?: number;
  /** Whether the event history is written to disk. */
  readonly eventHistory?: { readonly writeFailures: number; readonly lost: number; readonly withheld: number } | undefined;
  readonly stateDir?: StateDirTally | undefined;
  /** State of the pod label sync. `patches`: by outcome, with all outcomes from the start. */
  readonly podLabels?:
    | { readonly current: boolean; readonly succeededAt?: number; readonly patches: ReadonlyMap<string, number> }
    | undefined;
  /** Whether the policy that injected this sidecar has changed since, if that can be detected. */
  readonly injectionOutdated?: boolean | undefined;
  readonly discovery?: readonly DiscoverySource[];
  readonly shard?: ShardTally | undefined;
  readonly overload?: OverloadTally;
}

interface Own extends Kept {
  readonly reload: ReloadStatus;
}

const buildRow: Row<Build> = {
  name: 'snowgauge_build_info',
  type: 'gauge',
  labels: ['version'],
  unit: 'info',
  help: 'Always 1. Label version is the version of snowgauge.',
  source: 'the build',
  value: () => 1,
};

const rows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_config_last_reload_successful',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if the last load of the configuration succeeded, and that of the web configuration, if there is one.',
    source: 'the configuration',
    value: ({ reload }) => flag(reload.successful),
  },
  {
    name: 'snowgauge_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'Time of the last successful load of the configuration.',
    source: 'the configuration',
    value: ({ reload }) => reload.succeededAt,
  },
  {
    name: 'snowgauge_event_history_write_failures_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Failed writes of the event history to stateDir; each is retried. No sample without a stateDir.',
    source: 'the files under stateDir',
    value: ({ eventHistory }) => eventHistory?.writeFailures,
  },
  {
    name: 'snowgauge_event_history_dropped_records_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Records dropped: write queue full. No sample without a stateDir.',
    source: 'the files under stateDir',
    value: ({ eventHistory }) => eventHistory?.lost,
  },
  {
    name: 'snowgauge_event_history_withheld_records_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Records kept in memory only, because their target has used up its bytes for the hour. No sample without a stateDir.',
    source: 'the files under stateDir',
    stability: 'beta',
    value: ({ eventHistory }) => eventHistory?.withheld,
  },
  {
    name: 'snowgauge_pod_labels_current',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: "1 if the pod's labels match the current conditions. No sample unless kubernetes.podLabels is enabled.",
    source: 'the API server',
    value: ({ podLabels }) => podLabels && flag(podLabels.current),
  },
  {
    name: 'snowgauge_pod_labels_last_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: "Time of the last successful patch of the pod's labels.",
    source: 'the API server',
    value: ({ podLabels }) => podLabels?.succeededAt,
  },
];

const patchRow: Row<readonly [outcome: string, count: number]> = {
  name: 'snowgauge_pod_label_patches_total',
  type: 'counter',
  labels: ['outcome'],
  unit: 'count',
  help: "Patches of the pod's labels by outcome.",
  source: 'the API server',
  value: ([, count]) => count,
};

const lastRows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_removed_target_probes_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Probes of targets and tag sets that a reload removed.',
    source: 'the probe paths',
    value: ({ removedProbes }) => removedProbes,
  },
  {
    name: 'snowgauge_injection_outdated',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if the policy that injected this sidecar has changed since: recreate the pod. No sample unless the sidecar was injected and the ConfigMap of the policy is mounted.',
    source: 'the ConfigMap of the policy',
    value: ({ injectionOutdated }) => (injectionOutdated === undefined ? undefined : flag(injectionOutdated)),
  },
];

/** `wallOffset`: wall clock − steady clock. */
export const ownFamilies = (build: Build, reload: ReloadStatus, kept: Kept = {}, wallOffset = 0): readonly Family[] => {
  const { successful, succeededAt } = reload;
  const shifted = { successful, ...(succeededAt !== undefined && { succeededAt: succeededAt + wallOffset }) };
  const own: readonly Own[] = [{ ...kept, reload: shifted }];
  const { discovery = [] } = kept;
  const dropped = discovery.flatMap(({ source, dropped }) =>
    Array.from(dropped, ([reason, count]) => [source, reason, count] as const),
  );
  return [
    ...collect([buildRow], [build], ({ version }) => [version]),
    ...collect(rows, own, () => []),
    ...collect(stateDirRows, kept.stateDir === undefined ? [] : [kept.stateDir], () => []),
    ...collect([patchRow], kept.podLabels?.patches ?? [], ([outcome]) => [outcome]),
    ...collect(lastRows, own, () => []),
    ...collect(
      discoveryRows,
      discovery.map((one) => ({ ...one, wallOffset })),
      ({ source }) => [source],
    ),
    ...collect([droppedRow], dropped, ([source, reason]) => [source, reason]),
    ...shardFamilies(kept.shard),
    ...overloadFamilies(kept.overload),
  ];
};

export const ownDefinitions: readonly Described[] = [
  buildRow,
  ...rows,
  ...stateDirRows,
  patchRow,
  ...lastRows,
  ...discoveryRows,
  droppedRow,
  ...shardRows,
  ...overloadDefinitions,
];
