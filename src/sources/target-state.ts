// Everything known of a target. Immutable: a poll makes the next one.

import type { Failure, OutcomeKind } from '../client/outcome.ts';
import { emptyHistogram, type Histogram } from '../snapshot/histogram.ts';
import type { TargetOptions } from '../snapshot/options.ts';
import type { NodeProcess } from '../snapshot/process.ts';
import { noRestarts, type Restarts } from '../snapshot/restart.ts';
import { newTracking, type RunTracking } from '../snapshot/run-tracking.ts';
import type { AnySource } from './source.ts';
import { type Sources, type States, sources, sourcesOf } from './sources.ts';

/** How the last poll ended: of every question that was asked. */
export interface LastPoll {
  /** End of the poll; seconds, exporter's clock. */
  readonly at: number;
  /** Some answer was understood. */
  readonly answered: boolean;
  readonly failures: readonly Failure[];
}

/** By the source's label `api`. */
export type Tallies = ReadonlyMap<string, ReadonlyMap<OutcomeKind, number>>;

export interface TargetState extends RunTracking {
  readonly options: TargetOptions;
  readonly sources: States;
  /** When each source was last asked; exporter's clock. */
  readonly askedAt: ReadonlyMap<string, number>;
  /** When all of them were last to be asked anew, because it is another process. */
  readonly renewedAt?: number;
  readonly polls: Tallies;
  /** Of whole polls. */
  readonly pollDuration: Histogram;
  readonly restarts: Restarts;
  readonly process: NodeProcess;
  readonly detectionDelay: Histogram;
  /** Runs of the node's checks that no poll saw. */
  readonly missedRuns: number;
  /** Its check interval was known once: from then on it is told how many runs were missed, whatever the node is replaced by. */
  readonly countsRuns: boolean;
  /** From the Node-Id header of the last answer that had one. */
  readonly nodeId?: string;
  /** Changes of the NodeID of the target. */
  readonly nodeIdChanges: number;
  readonly lastPoll?: LastPoll;
  /** Which socket listened at its address after the last poll, where that can be known: see ListenerOf. */
  readonly listener?: string | undefined;
}

/** Upper bounds in seconds: of a poll, and of the delay between the end of a health check run and its observation. */
const pollBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const delayBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A target that nobody has polled yet. `known`: what of its sources an earlier run knew. */
export const newTarget = (options: TargetOptions, table: Sources = sources, known: Partial<States> = {}): TargetState => ({
  options,
  sources: eachSource(table, (source, name) => source.start(options, new Map(Object.entries(known)).get(name))),
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

/** After a reload that changed what is asked: what is asked as before is kept, the rest is not known yet. */
export const adjustedTarget = (table: Sources, before: TargetState, options: TargetOptions): TargetState => ({
  ...before,
  options,
  sources: eachSource(table, (source, name) => source.start(options, before.sources[name])),
  askedAt: new Map(),
});

/** The states of all sources, each made by its own. That each is of its source's type is what this function is for. */
export const eachSource = (table: Sources, make: (source: AnySource, name: string) => unknown): States =>
  Object.fromEntries(sourcesOf(table).map(([name, source]) => [name, make(source, name)])) as States;

/** Seconds between two health check runs: the inferred interval, or the configured one until there is one. */
export const effectiveInterval = ({ interval, options }: Pick<TargetState, 'interval' | 'options'>): number =>
  interval.inferred ?? options.healthCheckFrequency;

/** Seconds after which what a source said is no longer taken for true. */
export const maxAge = (target: Pick<TargetState, 'interval' | 'options'>): number =>
  target.options.staleAfter * effectiveInterval(target);

/** The same for one source: what is asked rarely is shown until it was due several times. */
export const maxAgeOf = ({ every = 0 }: { readonly every?: number }, target: Pick<TargetState, 'interval' | 'options'>): number =>
  Math.max(maxAge(target), target.options.staleAfter * every);
