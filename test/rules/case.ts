// A case of the rules' tests: what is there, and which alerts come of it.

import type { Series } from './series.ts';

export interface World {
  /** What follows "fires when" or "keeps quiet when". */
  readonly title: string;
  /** Settings of the rules, `name=value` each, where the alert needs them. */
  readonly set?: readonly string[];
  /** As Prometheus keeps it, labels of the scrape included. */
  readonly series: Series;
  readonly steps: number;
  /** Seconds between two samples and two evaluations; 60 unless said. */
  readonly seconds?: number;
  /** Seconds between two evaluations, where it is not that. */
  readonly evaluation?: number;
}

export interface Fires extends World {
  readonly alert: string;
  /** The first step at which it fires. */
  readonly at: number;
  /** The first step at which it no longer fires, where that is looked at. */
  readonly ends?: number;
  /** Prometheus 3 leaves out the sample at the far end of a range: there it fires a step sooner. */
  readonly soonerIn3?: true;
  /** Beside those of the scrape; `target` is "node" unless said. Undefined takes one of those away. */
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly summary: string;
  readonly description: string;
}

export interface Quiet extends World {
  readonly alert: string;
}

/** `ReadinessLost node`, without the `Snowgauge`, and its scope -> how many. */
export type Count = Readonly<Record<string, number>>;

/** All rules over all of it: exactly these fire, besides the Watchdog. */
export interface Situation extends World {
  /** At any time; none unless said. */
  readonly fires?: Count;
  /** Of these, in the end; as many unless said. */
  readonly ends?: Count;
  /** None of them begins anew: what resolves in between is another notification. */
  readonly steady?: true;
}
