// Which series a page may lack, and when. Any other series that is missing in one scrape, and present before and after it, is a gap.

import type { Fault, ModelNode } from './model-node.ts';
import type { Family } from './read-page.ts';

/** A target as currently configured. */
export interface Expected {
  readonly name: string;
  readonly node: ModelNode;
  /** Check interval in seconds. */
  readonly interval: number;
  /** Check intervals after which a report is no longer shown. */
  readonly staleAfter: number;
  /** Time since which it is polled with these settings. */
  readonly since: number;
}

/** The content of one page for a target, or for the exporter itself. */
export interface Shown {
  up: number | undefined;
  lastReport: number;
  readonly checks: Set<string>;
  readonly families: Set<string>;
  /** By the text before the value. */
  readonly series: Map<string, Family>;
}

/** By target; the exporter has the empty name. */
export type Page = Map<string, Shown>;

/** Families of Node.js with current counts or measurements since the last scrape, which may have no sample. */
const ofTheMoment: readonly string[] = [
  ...['nodejs_active_requests', 'nodejs_active_resources'],
  ...['min', 'mean', 'stddev'].map((kind) => `nodejs_eventloop_lag_${kind}_seconds`),
];

/** Families for failing checks or frozen nodes, which at times have no sample. */
const ofFaults = ['check_first_failure_timestamp_seconds', 'check_failure_reason', 'health_frozen_suspect'].map(
  (name) => `snowgauge_${name}`,
);

/** Families that a page may lack; any other must stay once it was on a page. */
export const comesAndGoes: ReadonlySet<string> = new Set([...ofTheMoment, ...ofFaults]);

interface Excuse {
  /** Faults of the node. */
  readonly faults: ReadonlySet<Fault>;
  /** How long ago such a fault may have ended: check intervals plus seconds. */
  readonly intervals: number;
  readonly seconds?: number;
}

const unanswered: readonly Fault[] = ['down', 'silent', 'garbage', 'malformed', 'status'];

/** The reward is assessed with the connected stake of each run, and expires after three. */
const unassessed: Excuse = { faults: new Set(['frozen']), intervals: 2 };

const excuses: Readonly<Record<string, Excuse>> = {
  // Unknown while the API does not respond.
  snowgauge_health_frozen: { faults: new Set(unanswered), intervals: 2 },
  // Of the first run of every 256 s: missing if that run was not seen, or was of another process.
  snowgauge_health_run_mark_timestamp_seconds: {
    faults: new Set([...unanswered, 'frozen', 'other-node']),
    ...{ intervals: 2, seconds: 256 },
  },
  // The NodeID is one of its labels.
  snowgauge_target_info: { faults: new Set(['other-node']), intervals: 2 },
  // Another process may know other tags: verified with the poll after the one that found it.
  snowgauge_tag_known: { faults: new Set([...unanswered, 'other-node']), intervals: 2 },
  // After another process started, known after two of its runs.
  snowgauge_health_check_interval_seconds: { faults: new Set(['other-node']), intervals: 4 },
  snowgauge_node_uptime_projected_ratio: unassessed,
  snowgauge_node_uptime_requirement_ratio: unassessed,
  snowgauge_node_uptime_budget_seconds: unassessed,
  snowgauge_node_uptime_best_possible_ratio: unassessed,
  snowgauge_validator_reward_state: unassessed,
  // The check passes in between.
  snowgauge_check_first_failure_timestamp_seconds: { faults: new Set(['flapping']), intervals: 2 },
  snowgauge_check_failure_reason: { faults: new Set(['flapping']), intervals: 2 },
};

/** `is`: the page's content for the target of the series; `expected`: absent for series of the exporter. */
export const mayMiss = (family: Family, is: Shown | undefined, expected: Expected | undefined, at: number): boolean => {
  if (expected === undefined) return ofTheMoment.includes(family.name);
  // There is no current report: compare() checks whether there should be one.
  if (is?.up === 0 && family.type === 'gauge') return true;
  // Responses of one poll become stale one after the other, those from before the report first.
  if (is !== undefined && family.type === 'gauge' && at - is.lastReport > expected.staleAfter * expected.interval - 1)
    return true;
  const excuse = excuses[family.name];
  if (excuse === undefined) return false;
  const { faults, intervals, seconds = 0 } = excuse;
  const lately = expected.node.faultsFrom(at - intervals * expected.interval - seconds, at);
  return [...lately].some((kind) => faults.has(kind));
};
