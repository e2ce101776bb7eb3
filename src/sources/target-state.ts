// State of a target. Immutable: each poll creates a new one.

import type { Failure, OutcomeKind } from '../client/outcome.ts';
import { emptyHistogram, type Histogram } from '../snapshot/histogram.ts';
import type { TargetOptions } from '../snapshot/options.ts';
import type { NodeProcess } from '../snapshot/process.ts';
import { noRestarts, type Restarts } from '../snapshot/restart.ts';
import { newTracking, type RunTracking, resetTracking } from '../snapshot/run-tracking.ts';
import type { AnySource } from './source.ts';
import { type Sources, type States, sources, sourcesOf } from './sources.ts';

/** Outcome of all requests of the last poll. */
export interface LastPoll {
  /** End of the poll; seconds, exporter's clock. */
  readonly at: number;
  /** At least one response was valid. */
  readonly answered: boolean;
  readonly failures: readonly Failure[];
}

/** By the source's label `api`. */
export type Tallies = ReadonlyMap<string, ReadonlyMap<OutcomeKind, number>>;

export interface TargetState extends RunTracking {
  readonly options: TargetOptions;
  readonly sources: States;
  /** When each source was last polled; exporter's clock. */
  readonly askedAt: ReadonlyMap<string, number>;
  /** When all sources were last made due because of a new process. */
  readonly renewedAt?: number;
  readonly polls: Tallies;
  /** For whole polls. */
  readonly pollDuration: Histogram;
  readonly restarts: Restarts;
  readonly process: NodeProcess;
  readonly detectionDelay: Histogram;
  /** Health check runs that no poll observed. */
  readonly missedRuns: number;
  /** The check interval was known once. Since then missed runs are exported, even if the node is replaced. */
  readonly countsRuns: boolean;
  /** From the Node-Id header of the last response that had one. */
  readonly nodeId?: string;
  /** Changes of the NodeID of the target. */
  readonly nodeIdChanges: number;
  readonly lastPoll?: LastPoll;
  /** Socket that listened at its address after the last poll. Undefined if unknown: see ListenerOf. */
  readonly listener?: string | undefined;
}

/** Bucket bounds in seconds: poll duration, and delay from the end of a health check run to its observation. */
const pollBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const delayBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A target that is not polled yet. `known`: source states from an earlier run. */
export const newTarget = (options: TargetOptions, table: Sources = sources, known: Partial<States> = {}): TargetState => ({
  options,
  sources: eachSource(table, (source, name) => source.start(options, known[name])),
  askedAt: new Map(),
  polls: new Map(sourcesOf(table).map(([, { api }]) => [api, new Map<OutcomeKind, number>([['ok', 0]])])),
  pollDuration: emptyHistogram(pollBounds),
  ...newTracking(options.healthCheckFrequency),
  restarts: noRestarts,
  process: { state: 'unseen' },
  detectionDelay: emptyHistogram(delayBounds),
  missedRuns: 0,
  countsRuns: false,
  nodeIdChanges: 0,
});

/** State after a reload that changed the requests. Results of unchanged requests are kept. */
export const adjustedTarget = (table: Sources, before: TargetState, options: TargetOptions): TargetState => {
  const known = options.url === before.options.url ? before : moved(table, before);
  return {
    ...known,
    options,
    sources: eachSource(table, (source, name) => source.start(options, known.sources[name])),
    askedAt: new Map(),
  };
};

/** The state of a node at another address: it runs as another process there, which has not reported yet. */
const moved = (table: Sources, before: TargetState): TargetState => ({
  ...before,
  ...resetTracking(before, before.options.healthCheckFrequency),
  process: { state: 'unseen' },
  sources: validForAnother(table, before.sources, 'process'),
});

/** The states of the sources without what is not valid for another process of the node, or for another node. */
export const validForAnother = (table: Sources, before: States, other: 'process' | 'node'): States =>
  eachSource(table, (source, name) => {
    const known = source.restarted?.(before[name]) ?? before[name];
    return other === 'node' ? (source.replaced?.(known) ?? known) : known;
  });

/** Builds the state of each source. Contains the type cast from unknown states to the states of the sources. */
export const eachSource = (table: Sources, make: (source: AnySource, name: string) => unknown): States =>
  Object.fromEntries(sourcesOf(table).map(([name, source]) => [name, make(source, name)])) as States;

/** Seconds between two health check runs: the inferred interval, or the configured one until there is one. */
export const effectiveInterval = ({ interval, options }: Pick<TargetState, 'interval' | 'options'>): number =>
  interval.inferred ?? options.healthCheckFrequency;

/** Seconds. The longest timeout that the configuration allows; it also allows none above healthCheckFrequency. */
const longestTimeout = 60;

/** Seconds after which a response of a source is stale. Not before the next poll has ended, even if the inferred interval is far shorter. */
export const maxAge = (target: Pick<TargetState, 'interval' | 'options'>): number => {
  const { staleAfter, healthCheckFrequency } = target.options;
  const interval = effectiveInterval(target);
  return Math.max(staleAfter * interval, interval + Math.min(healthCheckFrequency, longestTimeout) + 1);
};

/**
 * The same for one source: rarely requested data is shown until it was due several times. It is due between two polls, so not before the one
 * after that has ended.
 */
export const maxAgeOf = ({ every = 0 }: { readonly every?: number }, target: Pick<TargetState, 'interval' | 'options'>): number =>
  Math.max(target.options.staleAfter * every, every + maxAge(target));
