// Builds snapshots a test can read at a glance: a target, its reports and heads, and nothing else said.

import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import type { IndexName } from '../../src/protocol/paths.ts';
import { type CheckInterval, unknownInterval } from '../../src/snapshot/check-interval.ts';
import type { IndexHead } from '../../src/snapshot/index-head.ts';
import type { Observed } from '../../src/snapshot/observed.ts';
import type { Progress } from '../../src/snapshot/progress.ts';
import { newSnapshot, newTarget, type Snapshot, type TargetOptions, type TargetSnapshot } from '../../src/snapshot/snapshot.ts';

/** 2026-11-20T12:00:00Z, the present of every built snapshot. */
export const noon = 1_795_176_000;

export const targetOptions = (given: Partial<TargetOptions> = {}): TargetOptions => ({
  name: 'node',
  url: 'http://127.0.0.1:9650',
  healthCheckFrequency: 30,
  tagSets: [{ name: 'all', tags: [] }],
  indexes: [],
  staleAfter: 3,
  ...given,
});

/** A check interval that was measured, twice and more. */
export const measuredInterval = (seconds: number, over: Partial<CheckInterval> = {}): CheckInterval => ({
  ...unknownInterval(seconds),
  learning: false,
  inferred: seconds,
  measured: [seconds, seconds],
  apart: seconds,
  ...over,
});

/** Timestamps that advanced, and no more since then. */
export const stillSince = (since: number, quietPolls: number): Progress => ({ basis: 'advance', since, quietPolls });

/** A node whose checks have stopped. */
export const stopped = (since: number, quietPolls: number): Pick<TargetSnapshot, 'movement' | 'cadence'> => ({
  movement: stillSince(since, quietPolls),
  cadence: measuredInterval(30),
});

/** Passing, run ten seconds ago in 5 µs. */
export const passing = (given: Partial<CheckResult> = {}): CheckResult => ({
  timestamp: noon - 10,
  duration: 5e-6,
  contiguousFailures: 0,
  ...given,
});

/** Failing since a minute ago. */
export const failing = (error: string, given: Partial<CheckResult> = {}): CheckResult => ({
  ...passing(),
  error,
  contiguousFailures: 2,
  timeOfFirstFailure: noon - 60,
  ...given,
});

/** Healthy when no check has an error. */
export const report = (checks: Readonly<Record<string, CheckResult>>): HealthReport => {
  const entries = Object.entries(checks);
  return { checks: new Map(entries), healthy: entries.every(([, check]) => check.error === undefined) };
};

export const fresh = <T>(value: T, at = noon - 5): Observed<T> => ({ state: 'fresh', value, at });

export interface Known extends Partial<Omit<TargetSnapshot, 'options' | 'health' | 'indexes'>> {
  readonly health?: Readonly<Record<string, Observed<HealthReport>>>;
  readonly indexes?: Readonly<Partial<Record<IndexName, Observed<IndexHead>>>>;
}

const isIndex = (entry: [string, Observed<IndexHead> | undefined]): entry is [IndexName, Observed<IndexHead>] =>
  entry[1] !== undefined;

export const targetKnowing = (options: TargetOptions, { health = {}, indexes = {}, ...rest }: Known = {}): TargetSnapshot => {
  const unasked = newTarget(options);
  return {
    ...unasked,
    ...rest,
    health: new Map([...unasked.health, ...Object.entries(health)]),
    indexes: new Map([...unasked.indexes, ...Object.entries(indexes).filter(isIndex)]),
  };
};

export const snapshotOf = (...targets: readonly TargetSnapshot[]): Snapshot =>
  targets.length === 0
    ? newSnapshot([targetOptions()])
    : { targets: new Map(targets.map((target) => [target.options.name, target])) };
