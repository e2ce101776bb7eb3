// Families of the exporter itself: its version and its configuration.

import { collect, type Described, type Family, flag, type Row } from './family.ts';

export interface Reload {
  /** False while a changed file is refused and the configuration before it still holds, or while there was none before. */
  readonly successful: boolean;
  /** When the current configuration was loaded; seconds, exporter's clock. Absent while none is. */
  readonly succeededAt?: number;
}

/** How the event history fares on disk; where it is kept there. */
export interface WrittenEvents {
  readonly writeFailures: number;
  readonly lost: number;
}

/** How the labels of the pod fare; where they are kept. */
export interface KeptPodLabels {
  readonly current: boolean;
  readonly succeededAt?: number;
  /** By how they ended; every way is there from the start. */
  readonly patches: ReadonlyMap<string, number>;
}

export interface Build {
  readonly version: string;
}

interface Own {
  readonly build: Build;
  readonly reload: Reload;
}

const buildRows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_build_info',
    type: 'gauge',
    labels: ['version'],
    unit: 'info',
    help: 'Always 1. Label version is the version of snowgauge.',
    source: 'the build',
    stability: 'stable',
    value: () => 1,
  },
];

const reloadRows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_config_last_reload_successful',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if the last load of the configuration succeeded.',
    source: 'the configuration',
    stability: 'stable',
    value: ({ reload }) => flag(reload.successful),
  },
  {
    name: 'snowgauge_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'Time of the last successful load of the configuration.',
    source: 'the configuration',
    stability: 'stable',
    value: ({ reload }) => reload.succeededAt,
  },
];

const eventHistoryRows: readonly Row<WrittenEvents>[] = [
  {
    name: 'snowgauge_event_history_write_failures_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Failed writes of the event history to stateDir; each is retried. No sample without a stateDir.',
    source: 'the files under stateDir',
    stability: 'stable',
    value: ({ writeFailures }) => writeFailures,
  },
  {
    name: 'snowgauge_event_history_dropped_records_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Records dropped: write queue full. No sample without a stateDir.',
    source: 'the files under stateDir',
    stability: 'stable',
    value: ({ lost }) => lost,
  },
];

const podLabelRows: readonly Row<KeptPodLabels>[] = [
  {
    name: 'snowgauge_pod_labels_current',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: "1 if the pod's labels match the current conditions. No sample unless kubernetes.podLabels is enabled.",
    source: 'the API server',
    stability: 'stable',
    value: ({ current }) => flag(current),
  },
  {
    name: 'snowgauge_pod_labels_last_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: "Time of the last successful patch of the pod's labels.",
    source: 'the API server',
    stability: 'stable',
    value: ({ succeededAt }) => succeededAt,
  },
];

const removedRows: readonly Row<number>[] = [
  {
    name: 'snowgauge_removed_target_probes_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Probes of targets and tag sets that a reload removed.',
    source: 'the probe paths',
    stability: 'stable',
    value: (probes) => probes,
  },
];

interface Patches {
  readonly outcome: string;
  readonly count: number;
}

const patchRows: readonly Row<Patches>[] = [
  {
    name: 'snowgauge_pod_label_patches_total',
    type: 'counter',
    labels: ['outcome'],
    unit: 'count',
    help: "Patches of the pod's labels by outcome.",
    source: 'the API server',
    stability: 'stable',
    value: ({ count }) => count,
  },
];

const injectionRows: readonly Row<boolean>[] = [
  {
    name: 'snowgauge_injection_outdated',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if the policy that injected this sidecar has changed since: the pod must be recreated to follow it. No sample unless it was injected and the ConfigMap of the policy is mounted.',
    source: 'the ConfigMap of the policy',
    stability: 'stable',
    value: (outdated) => flag(outdated),
  },
];

const podLabelFamilies = (kept: KeptPodLabels | undefined): readonly Family[] => {
  const patches = Array.from(kept?.patches ?? [], ([outcome, count]): Patches => ({ outcome, count }));
  return [
    ...collect(podLabelRows, kept === undefined ? [] : [kept], () => []),
    ...collect(patchRows, patches, ({ outcome }) => [outcome]),
  ];
};

/** What is kept outside of the process, and for probes, as far as anything is. */
export interface Kept {
  readonly removedProbes?: number;
  readonly eventHistory?: WrittenEvents | undefined;
  readonly podLabels?: KeptPodLabels | undefined;
  /** Whether the policy that injected this sidecar has changed since; where that can be known. */
  readonly injectionOutdated?: boolean | undefined;
}

/** `wallOffset`: wall clock − steady clock. */
export const ownFamilies = (
  build: Build,
  { successful, succeededAt }: Reload,
  { eventHistory, podLabels, removedProbes, injectionOutdated }: Kept = {},
  wallOffset = 0,
): readonly Family[] => {
  const own = [{ build, reload: { successful, ...(succeededAt !== undefined && { succeededAt: succeededAt + wallOffset }) } }];
  return [
    ...collect(buildRows, own, () => [build.version]),
    ...collect(reloadRows, own, () => []),
    ...collect(eventHistoryRows, eventHistory === undefined ? [] : [eventHistory], () => []),
    ...podLabelFamilies(podLabels),
    ...collect(removedRows, removedProbes === undefined ? [] : [removedProbes], () => []),
    ...collect(injectionRows, injectionOutdated === undefined ? [] : [injectionOutdated], () => []),
  ].filter(({ samples }) => samples.length > 0);
};

export const ownDefinitions: readonly Described[] = [
  ...buildRows,
  ...reloadRows,
  ...eventHistoryRows,
  ...podLabelRows,
  ...patchRows,
  ...removedRows,
  ...injectionRows,
];
