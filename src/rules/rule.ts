// What an alert and a recording rule are made of.

import type { ThresholdName } from './thresholds.ts';

/** critical: wake somebody. warning: within the working day. info: good to know while looking. */
export type Severity = 'critical' | 'warning' | 'info';

/** What an expression is written with. */
export interface Terms {
  /** The settings, as they are to be written. */
  readonly set: Readonly<Record<ThresholdName, string>>;
  /** One of our own families, with the selector and further matchers. */
  readonly of: (family: `snowgauge_${string}`, ...matchers: readonly string[]) => string;
  /** Leaves out of a condition what most nodes of the fleet see at once. */
  readonly unlessShared: (condition: string, all: string, by: readonly string[]) => string;
}

export interface Alert {
  readonly name: `Snowgauge${string}`;
  readonly severity: Severity;
  /** The expression in words, as what follows "fires when". */
  readonly when: string;
  readonly expr: (terms: Terms) => string;
  /** The default of its setting `…For`. */
  readonly for: string;
  /** Templates of Prometheus. */
  readonly summary: string;
  readonly description: string;
  readonly dashboard: Dashboard;
}

/** Uid of a dashboard, and the labels that its variables take. */
export interface Dashboard {
  readonly uid: string;
  readonly variables: readonly string[];
}

export interface Recording {
  readonly record: `snowgauge:${string}`;
  /** One sentence. */
  readonly help: string;
  readonly expr: (terms: Terms) => string;
}

const ofTarget = ['namespace', 'pod', 'target'] as const;

export const dashboards = {
  fleet: { uid: 'snowgauge-fleet', variables: [] },
  node: { uid: 'snowgauge-node', variables: ofTarget },
  subnet: { uid: 'snowgauge-subnet', variables: [...ofTarget, 'tag_set'] },
  index: { uid: 'snowgauge-index', variables: ofTarget },
  slo: { uid: 'snowgauge-slo', variables: [...ofTarget, 'tag_set'] },
  exporter: { uid: 'snowgauge-exporter', variables: ['namespace', 'pod'] },
} as const satisfies Readonly<Record<string, Dashboard>>;

/** Which node: every sidecar's target may have the same name, and only Kubernetes gives a pod. */
export const theNode = '{{ $labels.target }} ({{ or $labels.pod $labels.instance }})';

/** SnowgaugeTargetDown -> targetDownFor */
export const forSetting = ({ name }: Pick<Alert, 'name'>): string => {
  const own = name.slice('Snowgauge'.length);
  return `${own.charAt(0).toLowerCase()}${own.slice(1)}For`;
};
