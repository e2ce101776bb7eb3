// What a page may lack, and when: everything else that one scrape lacks, and those before and after it have, is a hole.

import type { Fault, ModelNode } from './model-node.ts';
import type { Family } from './read-page.ts';

/** A target as it is configured now. */
export interface Expected {
  readonly name: string;
  readonly node: ModelNode;
  /** Seconds; of its check interval. */
  readonly interval: number;
  /** Check intervals after which a report is no longer shown. */
  readonly staleAfter: number;
  /** Since when it is asked what it is asked. */
  readonly since: number;
}

/** What one page shows of a target, or of the exporter itself. */
export interface Shown {
  up: number | undefined;
  lastReport: number;
  readonly checks: Set<string>;
  readonly families: Set<string>;
  /** As they stand before their values. */
  readonly series: Map<string, Family>;
}

/** By target, for the exporter the empty text. */
export type Page = Map<string, Shown>;

/** Of what Node.js counts at the moment, and measured since the last scrape: no sample where that is nothing. */
const ofTheMoment: readonly string[] = [
  ...['nodejs_active_requests', 'nodejs_active_resources'],
  ...['min', 'mean', 'stddev'].map((kind) => `nodejs_eventloop_lag_${kind}_seconds`),
];

/** Samples of a check that fails, or of a node whose checks no longer run: at times no target has one. */
const ofFaults = ['check_first_failure_timestamp_seconds', 'check_failure_reason', 'health_frozen_suspect'].map(
  (name) => `snowgauge_${name}`,
);

/** Families that a page may be without: any other that was on one is on each after it. */
export const comesAndGoes: ReadonlySet<string> = new Set([...ofTheMoment, ...ofFaults]);

interface Excuse {
  /** Of the node. */
  readonly faults: ReadonlySet<Fault>;
  /** How long ago such a fault may have ended: in check intervals, and in seconds beside. */
  readonly intervals: number;
  readonly seconds?: number;
}

const unanswered: readonly Fault[] = ['down', 'silent', 'garbage', 'malformed', 'status'];

const excuses: Readonly<Record<string, Excuse>> = {
  // Unknown while the API does not answer.
  snowgauge_health_frozen: { faults: new Set(unanswered), intervals: 2 },
  // Of the first run of every 256 s: none where that was missed, or was another process's.
  snowgauge_health_run_mark_timestamp_seconds: {
    faults: new Set([...unanswered, 'frozen', 'other-node']),
    ...{ intervals: 2, seconds: 256 },
  },
  // With another NodeID among its labels.
  snowgauge_target_info: { faults: new Set(['other-node']), intervals: 2 },
  // Of another process: known after two of its runs.
  snowgauge_health_check_interval_seconds: { faults: new Set(['other-node']), intervals: 4 },
  // The check passes in between.
  snowgauge_check_first_failure_timestamp_seconds: { faults: new Set(['flapping']), intervals: 2 },
  snowgauge_check_failure_reason: { faults: new Set(['flapping']), intervals: 2 },
};

/** `is`: what the page shows of the target of the series; `expected`: absent for those of the exporter. */
export const mayMiss = (family: Family, is: Shown | undefined, expected: Expected | undefined, at: number): boolean => {
  if (expected === undefined) return ofTheMoment.includes(family.name);
  // Without a report that is young enough: compare() looks whether it should have had one.
  if (is?.up === 0 && family.type === 'gauge') return true;
  // Answers of one poll become too old one after the other: what was asked before the report goes before it.
  if (is !== undefined && family.type === 'gauge' && at - is.lastReport > expected.staleAfter * expected.interval - 1)
    return true;
  const excuse = excuses[family.name];
  if (excuse === undefined) return false;
  const { faults, intervals, seconds = 0 } = excuse;
  const lately = expected.node.faultsFrom(at - intervals * expected.interval - seconds, at);
  return [...lately].some((kind) => faults.has(kind));
};
