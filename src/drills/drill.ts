// What a drill is made of: what breaks, what must be seen of it, which alert must come.

import type { FaultNow } from '../node/play.ts';
import type { IndexName } from '../protocol/paths.ts';
import type { Notified } from './notified.ts';

/** A thing that is done `after` so many seconds, to all nodes or to one `of` them. */
export type Injection = { readonly after: number } & (
  | { readonly kind: 'node'; readonly faults: readonly FaultNow[]; readonly of?: number }
  | { readonly kind: 'exporter-stops' }
  /** The exporter's configuration gets one more tag set, and its subnet id lacks a letter. */
  | { readonly kind: 'tag-is-misspelt' }
  | { readonly kind: 'configuration-has-an-error' }
  /** The node is started without its indexes, and then with them: what was accepted in between is in none. */
  | { readonly kind: 'index-was-off' }
  /** Prometheus is told of no exporter any more. */
  | { readonly kind: 'nobody-is-scraped' }
  /** The first exporter is gone, as with the pod of its node, and Prometheus no longer discovers it. */
  | { readonly kind: 'pod-vanishes' }
  /** The first exporter is started again, with another address and no memory. */
  | { readonly kind: 'pod-moves' }
);

/** What shows on the exporter's page as soon as the exporter knows of it. */
export interface Sign {
  readonly family: `snowgauge_${string}`;
  readonly labels?: Readonly<Record<string, string>>;
  readonly is: (value: number) => boolean;
  /** Cadences that the exporter must wait, by its own rules, before it may say so; and the rule. */
  readonly patience?: { readonly intervals: number; readonly reason: string };
}

export interface DrillExporter {
  /** That its scrape adds, as a pod monitor does. */
  readonly labels: Readonly<Record<string, string>>;
  /** The nodes that it watches. */
  readonly nodes: readonly number[];
}

export interface Drill {
  readonly name: string;
  /** What goes wrong, as a sentence. */
  readonly breaks: string;
  readonly injections: readonly Injection[];
  /** Without one there is no page to look at: Prometheus notices at its next scrape. */
  readonly sign?: Sign;
  readonly alert: `Snowgauge${string}`;
  /** Labels that the alert must have. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Seconds before the alert's expression can become true, beside its `for`. */
  readonly waits?: { readonly seconds: number; readonly reason: string };
  /** Alerts that may come of the same fault. */
  readonly alongside?: readonly `Snowgauge${string}`[];
  /** The notifications, as shipped routing and inhibition make them; one of `alert` to the receiver of its severity unless said. */
  readonly notified?: readonly Notified[];
  /** Settings of the rules beside those of every drill. */
  readonly set?: Readonly<Record<string, string>>;
  /** What the operator should see, and where. */
  readonly look: string;
  /** 1 unless said. */
  readonly nodes?: number;
  /** The nodes have one identity, as one that is seen by two. */
  readonly twins?: true;
  /** The configuration expects the NodeIDs that the nodes have at the start. */
  readonly expectsNodeIds?: true;
  /** And that the nodes are validators. */
  readonly expectsValidators?: true;
  /** Unless said, one that watches all nodes. The sign is looked for on the page of the first. */
  readonly exporters?: readonly DrillExporter[];
  /** One scrape in so many is lost. */
  readonly loses?: number;
  /** Indexes that are watched; P and C unless said. */
  readonly indexes?: readonly IndexName[];
  /** The node keeps its store on disk. */
  readonly stored?: true;
}
