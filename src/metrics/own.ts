// Families of the exporter itself: its version and its configuration.

import { collect, type Family, flag, type Row } from './family.ts';

export interface Reload {
  /** False while a changed file is refused and the configuration before it still holds, or while there was none before. */
  readonly successful: boolean;
  /** When the configuration in force was loaded; seconds, exporter's clock. Absent while none is. */
  readonly succeededAt?: number;
}

/** How the evidence fares on disk; where it is kept there. */
export interface KeptEvidence {
  readonly writeFailures: number;
  readonly lost: number;
}

/** How the labels of the own pod fare; where they are kept. */
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

export const buildRows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_build_info',
    type: 'gauge',
    labels: ['version'],
    unit: 'info',
    help: 'Always 1; the version of snowgauge is the label.',
    source: 'the build',
    stability: 'stable',
    value: () => 1,
  },
];

export const reloadRows: readonly Row<Own>[] = [
  {
    name: 'snowgauge_config_last_reload_successful',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 when the configuration was last loaded without a mistake.',
    source: 'the configuration',
    stability: 'stable',
    value: ({ reload }) => flag(reload.successful),
  },
  {
    name: 'snowgauge_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the configuration in force was loaded.',
    source: 'the configuration',
    stability: 'stable',
    value: ({ reload }) => reload.succeededAt,
  },
];

export const evidenceRows: readonly Row<KeptEvidence>[] = [
  {
    name: 'snowgauge_evidence_write_failures_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Writes of evidence to stateDir that failed; each is tried again. No sample without a stateDir.',
    source: 'the files under stateDir',
    stability: 'stable',
    value: ({ writeFailures }) => writeFailures,
  },
  {
    name: 'snowgauge_evidence_lost_records_total',
    type: 'counter',
    labels: [],
    unit: 'count',
    help: 'Records that never came to disk, because too many waited for one that took none. No sample without a stateDir.',
    source: 'the files under stateDir',
    stability: 'stable',
    value: ({ lost }) => lost,
  },
];

export const podLabelRows: readonly Row<KeptPodLabels>[] = [
  {
    name: 'snowgauge_pod_labels_current',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 when the own pod has the labels that the verdicts ask for, as the last patch showed. No sample unless kubernetes.podLabels is enabled.',
    source: 'the API server',
    stability: 'stable',
    value: ({ current }) => flag(current),
  },
  {
    name: 'snowgauge_pod_labels_last_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the labels of the own pod were last written or confirmed.',
    source: 'the API server',
    stability: 'stable',
    value: ({ succeededAt }) => succeededAt,
  },
];

interface Patches {
  readonly outcome: string;
  readonly count: number;
}

export const patchRows: readonly Row<Patches>[] = [
  {
    name: 'snowgauge_pod_label_patches_total',
    type: 'counter',
    labels: ['outcome'],
    unit: 'count',
    help: 'Patches of the own pod, by how they ended.',
    source: 'the API server',
    stability: 'stable',
    value: ({ count }) => count,
  },
];

export const podLabelFamilies = (kept: KeptPodLabels | undefined): readonly Family[] => {
  const patches = Array.from(kept?.patches ?? [], ([outcome, count]): Patches => ({ outcome, count }));
  return [
    ...collect(podLabelRows, kept === undefined ? [] : [kept], () => []),
    ...collect(patchRows, patches, ({ outcome }) => [outcome]),
  ];
};

export const ownFamilies = (build: Build, reload: Reload, evidence: KeptEvidence | undefined): readonly Family[] => {
  const own = [{ build, reload }];
  return [
    ...collect(buildRows, own, () => [build.version]),
    ...collect(reloadRows, own, () => []),
    ...collect(evidenceRows, evidence === undefined ? [] : [evidence], () => []),
  ];
};
