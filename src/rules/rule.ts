// The parts of an alert and of a recording rule.

import { identityLabels, type ThresholdName } from './thresholds.ts';

/** critical: wake somebody up. warning: during working hours. info: useful on dashboards. none: only the Watchdog. */
export type Severity = 'critical' | 'warning' | 'info' | 'none';

/** Scopes whose alerts have the identity labels of a target, widest first. */
export const targetScopes = ['target', 'frozen', 'node', 'tag_set', 'chain', 'index', 'identity', 'validator'] as const;

/** What kind of object an alert is about. */
export const scopes = ['exporter', 'network', ...targetScopes] as const;
export type Scope = (typeof scopes)[number];

export const isOfTarget = (scope: Scope): boolean => targetScopes.some((one) => one === scope);

/** The building blocks of expressions. */
export interface Terms {
  /** Settings in the form in which expressions contain them. */
  readonly set: Readonly<Record<ThresholdName, string>>;
  /** The selector of one of our own families, with the operator's `selector` and further matchers. */
  readonly of: (family: FamilyName, ...matchers: readonly string[]) => string;
  /** The last samples of a vector within `scrapeGap`, as a lost scrape must not end or restart an alert. */
  readonly lately: (vector: string) => string;
  /**
   * A selector, and its last samples within `scrapeGap` while an exporter cannot be scraped, or has not polled the target since its start.
   * Other samples that a scraped exporter no longer has are gone at once, and so are those of a removed target.
   */
  readonly orLast: (selector: string) => string;
  /** `orLast` of a family, reduced to the identity labels and `labels`. */
  readonly identified: (by: Aggregation, family: FamilyName, labels: readonly string[], matchers?: readonly string[]) => string;
  /** A vector of targets, with the label `node_id`: one NodeID per target, even if different nodes respond behind it in turn. */
  readonly withNodeId: (vector: string) => string;
  /** `now`, or while the node is down or bootstraps, the last value of `record` within `window`. Matches by identity and `labels`. */
  readonly kept: (now: string, record: Recording['record'], labels: readonly string[], window: string) => string;
  /** One series for each exporter, identified by its pod, or by its instance if there is no pod, as with a plain scrape configuration. */
  readonly perExporter: (by: Aggregation | 'group', vector: string, labels?: readonly string[]) => string;
  /** Increase of a counter in a window, rounded to a whole number, with the identity labels and `labels`. */
  readonly counted: (family: FamilyName, labels: readonly string[], window: string, matchers?: readonly string[]) => string;
  /** The same, including what an exporter counted before a target was scraped for the first time. */
  readonly countedFromStart: (family: FamilyName, labels: readonly string[], window: string) => string;
}

export type FamilyName = `snowgauge_${string}`;
export type Aggregation = 'max' | 'min';

/** Alerts on symptoms of a node that have many causes. */
export const symptoms = ['SnowgaugeReadinessLost', 'SnowgaugeCheckFailing', 'SnowgaugeUnhealthy'] as const;

export interface Alert {
  readonly name: `Snowgauge${string}`;
  readonly severity: Severity;
  /** Of a pair, the second is for series with a tag set. */
  readonly scope: Scope | readonly [Scope, Scope];
  /** It also fires in maintenance windows, and no alert inhibits it. */
  readonly inMaintenance?: true;
  /** No failure of the node explains it, so no alert of a wider scope inhibits it. */
  readonly independent?: true;
  /** Alerts on the same node, and index, that are consequences of this one: it inhibits them. */
  readonly explains?: readonly `Snowgauge${string}`[];
  /** It may fire for days, so it inhibits nothing: something else may happen meanwhile. */
  readonly lasting?: true;
  /** The expression in words. It continues "fires when". */
  readonly when: string;
  readonly expr: (terms: Terms) => string;
  /** Default of its setting `…For`. */
  readonly for: string;
  /** Prometheus templates. In the description, `<name>` is replaced by the value of a setting. */
  readonly summary: string;
  readonly description: string;
  readonly dashboard: Dashboard;
}

/** UID of a Grafana dashboard, and the labels for its variables. */
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

/** A family that other rules read, reduced to the identity labels of a target. */
export interface RuleInput {
  readonly record: Recording['record'];
  readonly help: string;
  readonly by: Aggregation;
  readonly family: FamilyName;
  readonly labels?: readonly string[];
  readonly matchers?: readonly string[];
  /** Keeps the last value while the node cannot report it, because it is down or bootstraps. */
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
