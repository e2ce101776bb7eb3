// Everything known about every target right now. Immutable: a round of polls makes the next one.

import type { OutcomeKind } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { IndexName } from '../protocol/paths.ts';
import { type CheckInterval, effectiveInterval } from './check-interval.ts';
import type { Clock } from './clock.ts';
import { emptyHistogram, type Histogram } from './histogram.ts';
import type { IndexHead } from './index-head.ts';
import type { Pace } from './index-pace.ts';
import { type IndexWatch, newIndexWatch } from './index-watch.ts';
import { type Observed, pending } from './observed.ts';
import type { Progress } from './progress.ts';
import { noRestarts, type Restarts } from './restart.ts';
import { type Rules, rulesOf } from './rules.ts';
import { newTracking } from './run-tracking.ts';
import type { Stalling } from './stall.ts';
import { noKnowledge, type TagKnowledge } from './tag-knowledge.ts';
import type { Transitions } from './transitions.ts';

export const apis = ['health', 'readiness', 'liveness', 'index'] as const;
export type Api = (typeof apis)[number];

/** A named question about health: no tags is the whole node. */
export interface TagSet {
  readonly name: string;
  readonly tags: readonly string[];
}

/** What a target is, from the configuration. Durations in seconds. Rules that are not given are the usual ones. */
export interface TargetOptions extends Partial<Rules> {
  readonly name: string;
  /** Without credentials: it stands on the page and in the log. */
  readonly url: string;
  readonly healthCheckFrequency: number;
  /** At least one has no tags; the first such is what cadence and readiness are read from. */
  readonly tagSets: readonly TagSet[];
  readonly indexes: readonly IndexName[];
  /** In cadences. */
  readonly staleAfter: number;
}

export interface PollTally {
  readonly outcomes: ReadonlyMap<OutcomeKind, number>;
  readonly duration: Histogram;
}

export interface TargetSnapshot {
  readonly options: TargetOptions;
  /** By the name of the tag set; every configured one is there from the start. */
  readonly health: ReadonlyMap<string, Observed<HealthReport>>;
  readonly readiness: Observed<HealthReport>;
  readonly liveness: Observed<HealthReport>;
  readonly indexes: ReadonlyMap<IndexName, Observed<IndexHead>>;
  readonly paces: ReadonlyMap<IndexName, Pace>;
  /** Beyond their heads; every configured one is there from the start. */
  readonly watches: ReadonlyMap<IndexName, IndexWatch>;
  readonly polls: ReadonlyMap<Api, PollTally>;
  /** By the name of the tag set. */
  readonly transitions: ReadonlyMap<string, Transitions>;
  readonly cadence: CheckInterval;
  readonly clock: Clock;
  readonly restarts: Restarts;
  readonly movement: Progress;
  readonly tags: TagKnowledge;
  readonly detectionDelay: Histogram;
  /** Rounds of the node's checks that no poll saw. */
  readonly missedRuns: number;
  /** From the Node-Id header of the last answer that had one. */
  readonly nodeId?: string;
  /** End of the last round of polls, whatever its outcomes; seconds, exporter's clock. */
  readonly lastPollAt?: number;
}

export interface Snapshot {
  /** In the order of the configuration. */
  readonly targets: ReadonlyMap<string, TargetSnapshot>;
}

/** Upper bounds in seconds: of a poll, and of the time from the end of the node's round to our knowing. */
const pollBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const delayBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A target that nobody has asked yet. */
export const newTarget = (options: TargetOptions): TargetSnapshot => {
  const { interval, clock, progress } = newTracking(options.healthCheckFrequency);
  return {
    options,
    health: new Map(options.tagSets.map(({ name }) => [name, pending])),
    readiness: pending,
    liveness: pending,
    indexes: new Map(options.indexes.map((index) => [index, pending])),
    paces: new Map(),
    watches: new Map(options.indexes.map((index) => [index, newIndexWatch(index)])),
    polls: new Map(apis.map((api) => [api, { outcomes: new Map(), duration: emptyHistogram(pollBounds) }])),
    transitions: new Map(options.tagSets.map(({ name }) => [name, new Map()])),
    cadence: interval,
    clock,
    restarts: noRestarts,
    movement: progress,
    tags: noKnowledge(options),
    detectionDelay: emptyHistogram(delayBounds),
    missedRuns: 0,
  };
};

export const newSnapshot = (targets: readonly TargetOptions[]): Snapshot => ({
  targets: new Map(targets.map((options) => [options.name, newTarget(options)])),
});

/** The tag set without tags: the whole node, from which cadence is read. */
export const untagged = ({ tagSets }: TargetOptions): TagSet =>
  tagSets.find(({ tags }) => tags.length === 0) ?? { name: 'all', tags: [] };

/** Seconds between two rounds of the node's checks: the inferred cadence, or the configured one until there is one. */
export const effectiveCadence = (target: TargetSnapshot): number =>
  effectiveInterval(target.cadence, target.options.healthCheckFrequency);

/** What says whether its checks still run. */
export const stallingOf = ({ health, options, cadence, movement }: TargetSnapshot): Stalling => {
  const observed = health.get(untagged(options).name);
  const { frozenAfter } = rulesOf(options);
  const known = { progress: movement, interval: cadence, configured: options.healthCheckFrequency, frozenAfter };
  return observed?.state === 'fresh' ? { ...known, report: observed.value, reportAt: observed.at } : { ...known, reportAt: 0 };
};

/** Seconds after which what a source said is no longer taken for true. */
export const maxAge = (target: TargetSnapshot): number => target.options.staleAfter * effectiveCadence(target);

/** What is true at `now` of an index beyond its head. */
export interface CurrentWatch {
  readonly drift?: bigint;
  readonly agrees?: boolean;
  /** Number of the last container that was looked at. */
  readonly verified?: bigint;
  /** Faults found since the exporter's start: never too old. */
  readonly gaps: number;
}

export const currentWatch = (target: TargetSnapshot, index: IndexName, now: number): CurrentWatch => {
  const watch = target.watches.get(index) ?? newIndexWatch(index);
  const isCurrent = ({ at }: { readonly at: number }): boolean => now - at <= maxAge(target);
  const { compared } = watch.chain;
  const { tail } = watch.following;
  const drift = compared !== undefined && isCurrent(compared) ? compared.drift : undefined;
  const agrees = compared !== undefined && isCurrent(compared) ? compared.agrees : undefined;
  const isEmpty = tail?.number === -1n;
  const verified = tail !== undefined && !isEmpty && isCurrent(tail) ? tail.number : undefined;
  return {
    ...(drift !== undefined && { drift }),
    ...(agrees !== undefined && !isEmpty && { agrees }),
    ...(verified !== undefined && { verified }),
    gaps: watch.gaps,
  };
};
