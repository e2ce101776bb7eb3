// Builders for target states: a target, its reports and index heads, with defaults for everything else.

import type { Target, Targets } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { targetFrom } from '../../src/config/target.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import type { IndexName } from '../../src/protocol/paths.ts';
import { type CheckInterval, unknownInterval } from '../../src/snapshot/check-interval.ts';
import type { Observed } from '../../src/snapshot/observed.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import type { Progress } from '../../src/snapshot/progress.ts';
import type { HealthState } from '../../src/sources/health/state.ts';
import type { GrowthRate } from '../../src/sources/indexes/growth.ts';
import type { IndexHead } from '../../src/sources/indexes/head.ts';
import type { Verification } from '../../src/sources/indexes/verification.ts';
import type { InfoState } from '../../src/sources/info/state.ts';
import { newTarget, type TargetState } from '../../src/sources/target-state.ts';
import type { ValidatorState } from '../../src/sources/validator/state.ts';

/** 2026-11-20T12:00:00Z, the current time of every state. */
export const noon = 1_795_176_000;

/** The default configuration without indexes. */
export const targetOptions = (given: Partial<TargetOptions> = {}): TargetOptions => ({
  ...targetFrom({ indexes: [] }).options,
  ...given,
});

/** A check interval that has been measured at least twice. */
export const measuredInterval = (seconds: number, over: Partial<CheckInterval> = {}): CheckInterval => ({
  ...unknownInterval(seconds),
  learning: false,
  inferred: seconds,
  confirmed: seconds,
  measured: [seconds, seconds],
  apart: seconds,
  ...over,
});

/** Timestamps that advanced, but have not since this time. */
export const stillSince = (since: number, quietPolls: number): Progress => ({ basis: 'advance', since, quietPolls });

/** A node whose checks have stopped. */
export const stopped = (since: number, quietPolls: number): Pick<TargetState, 'progress' | 'interval'> => ({
  progress: stillSince(since, quietPolls),
  interval: measuredInterval(30),
});

/** A passing check that ran ten seconds ago for 5 µs. */
export const passing = (given: Partial<CheckResult> = {}): CheckResult => ({
  timestamp: noon - 10,
  duration: 5e-6,
  contiguousFailures: 0,
  ...given,
});

/** A check that has been failing for a minute. */
export const failing = (error: string, given: Partial<CheckResult> = {}): CheckResult => ({
  ...passing(),
  error,
  contiguousFailures: 2,
  timeOfFirstFailure: noon - 60,
  ...given,
});

/** Healthy if no check has an error. */
export const report = (checks: Readonly<Record<string, CheckResult>>): HealthReport => {
  const entries = Object.entries(checks);
  return { checks: new Map(entries), healthy: entries.every(([, check]) => check.error === undefined) };
};

export const fresh = <T>(value: T, at = noon - 5): Observed<T> => ({ state: 'fresh', value, at });

export interface Known
  extends Partial<Omit<TargetState, 'options' | 'sources'>>,
    Partial<Pick<HealthState, 'transitions' | 'tags' | 'runMark'>> {
  /** A fresh report means that the process has reported. */
  readonly health?: Readonly<Record<string, Observed<HealthReport>>>;
  readonly readiness?: Observed<HealthReport>;
  readonly liveness?: Observed<HealthReport>;
  readonly indexes?: Readonly<Partial<Record<IndexName, Observed<IndexHead>>>>;
  readonly growth?: ReadonlyMap<IndexName, GrowthRate>;
  readonly verifications?: ReadonlyMap<IndexName, Verification>;
  readonly info?: InfoState;
  readonly validator?: ValidatorState;
}

export const targetKnowing = (options: TargetOptions, known: Known = {}): TargetState => {
  const {
    health = {},
    indexes = {},
    readiness,
    liveness,
    growth,
    verifications,
    transitions,
    tags,
    runMark,
    info,
    validator,
    ...rest
  } = known;
  const unasked = newTarget(options);
  const { sources } = unasked;
  const reported = Object.values(health).some(({ state }) => state === 'fresh');
  return {
    ...unasked,
    ...(reported && { process: { state: 'reported' } as const }),
    ...rest,
    sources: {
      ...sources,
      health: {
        ...sources.health,
        reports: new Map([...sources.health.reports, ...Object.entries(health)]),
        ...(transitions !== undefined && { transitions }),
        ...(tags !== undefined && { tags }),
        ...(runMark !== undefined && { runMark }),
      },
      ...(readiness !== undefined && { readiness }),
      ...(liveness !== undefined && { liveness }),
      ...(info !== undefined && { info }),
      ...(validator !== undefined && { validator }),
      indexes: {
        watched: new Map(
          Array.from(sources.indexes.watched, ([name, index]) => [
            name,
            {
              head: indexes[name] ?? index.head,
              growth: growth?.get(name) ?? index.growth,
              verification: verifications?.get(name) ?? index.verification,
              wasOn: indexes[name]?.state === 'fresh',
            },
          ]),
        ),
      },
    },
  };
};

/** The conditions after the first poll. */
export const judged = (state: TargetState, now = noon): Target => ({ state, conditions: judge(undefined, state, now) });

export const targetsOf = (...states: readonly TargetState[]): Targets =>
  new Map((states.length === 0 ? [newTarget(targetOptions())] : states).map((state) => [state.options.name, judged(state)]));
