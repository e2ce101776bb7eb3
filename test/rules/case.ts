// A test case of the rules: series, and the alerts that must fire.

import type { Series } from './series.ts';

export interface World {
  /** Continues "fires when" or "keeps quiet when". */
  readonly title: string;
  /** Settings of the rules as `name=value`, if the alert needs them. */
  readonly set?: readonly string[];
  /** Series as stored by Prometheus, including the labels of the scrape. */
  readonly series: Series;
  readonly steps: number;
  /** Seconds between samples and between evaluations; 60 by default. */
  readonly seconds?: number;
  /** Seconds between evaluations if different. */
  readonly evaluation?: number;
}

export interface Fires extends World {
  readonly alert: string;
  /** The first step at which it fires. */
  readonly at: number;
  /** The first step at which it no longer fires, if checked. */
  readonly ends?: number;
  /** Prometheus 3 excludes the sample at the far end of a range, so the alert fires one step earlier. */
  readonly soonerIn3?: true;
  /** In addition to the labels of the scrape; `target` is "node" by default, and undefined removes a label. */
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly summary: string;
  readonly description: string;
}

export interface Quiet extends World {
  readonly alert: string;
}

/** Alert name without `Snowgauge`, and scope, such as `ReadinessLost node` -> number of alerts. */
export type Count = Readonly<Record<string, number>>;

/** Evaluated with all rules: exactly these alerts fire, besides the Watchdog. */
export interface Situation extends World {
  /** Alerts that the operator leaves out. */
  readonly without?: readonly string[];
  /** Alerts that fire at any time; none by default. */
  readonly fires?: Count;
  /** Those that still fire at the end; the same number by default. */
  readonly ends?: Count;
  /** No alert resolves and fires again, which would be another notification. */
  readonly steady?: true;
}
