// What an alert and a recording rule are made of.

import { identityLabels, type ThresholdName } from './thresholds.ts';

/** critical: wake somebody. warning: within the working day. info: good to know while looking. none: the Watchdog alone. */
export type Severity = 'critical' | 'warning' | 'info' | 'none';

/** Scopes whose alerts carry the identity of a target, the widest first: one of a wider scope inhibits those below it. */
export const targetScopes = ['target', 'frozen', 'node', 'tag_set', 'chain', 'index', 'identity', 'validator'] as const;

/** What an alert is about. */
export const scopes = ['exporter', 'network', ...targetScopes] as const;
export type Scope = (typeof scopes)[number];

export const isOfTarget = (scope: Scope): boolean => targetScopes.some((one) => one === scope);

/** What an expression is written with. */
export interface Terms {
  /** The settings, as they are to be written. */
  readonly set: Readonly<Record<ThresholdName, string>>;
  /** One of our own families, with the selector and further matchers. */
  readonly of: (family: FamilyName, ...matchers: readonly string[]) => string;
  /**
   * A selector, and while an exporter cannot be scraped, its last samples for `scrapeGap`. What an exporter leaves out of its page is gone
   * at once, and so is a target that was removed.
   */
  readonly orLast: (selector: string) => string;
  /** A family with the labels of the identity and `labels` alone, `orLast`. */
  readonly identified: (by: Aggregation, family: FamilyName, labels: readonly string[], matchers?: readonly string[]) => string;
  /** `now`, and while the node is down or bootstraps, the last value of `record` within `window`, with the labels of the identity and `labels`. */
  readonly kept: (now: string, record: Recording['record'], labels: readonly string[], window: string) => string;
  /** What exporters say of themselves, a series for each: by its pod, or without one, as in a plain scrape configuration, by its instance. */
  readonly perExporter: (by: Aggregation | 'group', vector: string, labels?: readonly string[]) => string;
  /** By how much a counter has grown in a window, as a whole number, with the labels of the identity and `labels`. */
  readonly counted: (family: FamilyName, labels: readonly string[], window: string, matchers?: readonly string[]) => string;
  /** The same, with what an exporter had counted before the first scrape of a target. */
  readonly countedFromStart: (family: FamilyName, labels: readonly string[], window: string) => string;
}

export type FamilyName = `snowgauge_${string}`;
export type Aggregation = 'max' | 'min';

/** What a node shows, whatever the cause. */
export const symptoms = ['SnowgaugeReadinessLost', 'SnowgaugeCheckFailing', 'SnowgaugeUnhealthy'] as const;

export interface Alert {
  readonly name: `Snowgauge${string}`;
  readonly severity: Severity;
  /** Where it is a pair: the second for the series that have a tag set. */
  readonly scope: Scope | readonly [Scope, Scope];
  /** It fires within a maintenance window too, and no alert inhibits it. */
  readonly inMaintenance?: true;
  /** Alerts on the same node, and index, that follow from it: while it fires, they do not notify. */
  readonly explains?: readonly `Snowgauge${string}`[];
  /** It may fire for days: it inhibits nothing, because something else may happen meanwhile. */
  readonly lasting?: true;
  /** The expression in words, as what follows "fires when". */
  readonly when: string;
  readonly expr: (terms: Terms) => string;
  /** The default of its setting `…For`. */
  readonly for: string;
  /** Templates of Prometheus; in the description `<name>` is the value of a setting. */
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

/** A family that other rules read, brought down to the identity of a target. */
export interface RuleInput {
  readonly record: Recording['record'];
  readonly help: string;
  readonly by: Aggregation;
  readonly family: FamilyName;
  readonly labels?: readonly string[];
  readonly matchers?: readonly string[];
  /** It stays true while the node cannot say so: while it is down or bootstraps, the last value counts. */
  readonly kept?: true;
}

export const dashboards = {
  fleet: { uid: 'snowgauge-fleet', variables: ['cluster', 'namespace'] },
  node: { uid: 'snowgauge-node', variables: identityLabels },
  subnet: { uid: 'snowgauge-subnet', variables: [...identityLabels, 'tag_set'] },
  index: { uid: 'snowgauge-index', variables: identityLabels },
  slo: { uid: 'snowgauge-slo', variables: identityLabels },
  validator: { uid: 'snowgauge-validator', variables: identityLabels },
  exporter: { uid: 'snowgauge-exporter', variables: ['cluster', 'namespace', 'pod'] },
} as const satisfies Readonly<Record<string, Dashboard>>;

/** SnowgaugeTargetDown -> targetDownFor */
export const forSetting = ({ name }: Pick<Alert, 'name'>): string => {
  const own = name.slice('Snowgauge'.length);
  return `${own.charAt(0).toLowerCase()}${own.slice(1)}For`;
};
