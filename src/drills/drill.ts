// The parts of a drill: what breaks, the sign of it on the exporter's page, and the alert that it must fire.

import type { FaultNow } from '../node/play.ts';
import type { IndexName } from '../protocol/paths.ts';
import type { Notified } from './notified.ts';

/** A fault that is injected `after` this many seconds, into all nodes or only the one at index `of`. */
export type Injection = { readonly after: number } & (
  | { readonly kind: 'node'; readonly faults: readonly FaultNow[]; readonly of?: number }
  | { readonly kind: 'exporter-stops' }
  /** Adds a tag set to the exporter's configuration whose subnet ID lacks a letter. */
  | { readonly kind: 'tag-is-misspelt' }
  | { readonly kind: 'configuration-has-an-error' }
  /** Runs the node without indexes for a while, and then with them: the containers accepted in between are missing. */
  | { readonly kind: 'index-was-off' }
  /** Prometheus gets an empty list of exporters. */
  | { readonly kind: 'nobody-is-scraped' }
  /** Stops the first exporter, as if the node's pod were deleted, and removes it from Prometheus's targets. */
  | { readonly kind: 'pod-vanishes' }
  /** Replaces the first exporter by one at another address and without its state. */
  | { readonly kind: 'pod-moves' }
);

/** A sample on the exporter's page that shows that the exporter has noticed the fault. */
export interface Sign {
  readonly family: `snowgauge_${string}`;
  readonly labels?: Readonly<Record<string, string>>;
  readonly is: (value: number) => boolean;
  /** Check intervals that the exporter waits by its own rules before it may show the fault, and the rule. */
  readonly patience?: { readonly intervals: number; readonly reason: string };
}

export interface DrillExporter {
  /** Labels that its scrape adds, as a PodMonitor does. */
  readonly labels: Readonly<Record<string, string>>;
  /** Indexes of the nodes that it watches. */
  readonly nodes: readonly number[];
}

export interface Drill {
  readonly name: string;
  /** Describes the fault in one sentence. */
  readonly fault: string;
  readonly injections: readonly Injection[];
  /** Undefined if no exporter is left to show it: Prometheus notices at its next scrape. */
  readonly sign?: Sign;
  readonly alert: `Snowgauge${string}`;
  /** Labels that the alert must have. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Seconds before the alert's expression can become true, in addition to its `for`. */
  readonly waits?: { readonly seconds: number; readonly reason: string };
  /** Other alerts that the same fault may fire. */
  readonly alongside?: readonly `Snowgauge${string}`[];
  /** Expected notifications with the shipped routing and inhibition. Default: one with `alert`, to the receiver of its severity. */
  readonly notified?: readonly Notified[];
  /** Settings of the rules, in addition to those of every drill. */
  readonly set?: Readonly<Record<string, string>>;
  /** What the operator should see, and where. */
  readonly look: string;
  /** Number of nodes, 1 by default. */
  readonly nodes?: number;
  /** All nodes have the same NodeID, as if two targets were one node. */
  readonly twins?: true;
  /** The configuration expects the NodeIDs that the nodes have at first. */
  readonly expectsNodeIds?: true;
  /** The configuration expects that the nodes are validators. */
  readonly expectsValidators?: true;
  /** By default one exporter that watches all nodes. The sign is expected on the page of the first. */
  readonly exporters?: readonly DrillExporter[];
  /** Drops every n-th scrape. */
  readonly loses?: number;
  /** Watched indexes, P and C by default. */
  readonly indexes?: readonly IndexName[];
  /** The node's store is on disk. */
  readonly stored?: true;
}
