// Rounds of polls as values: what each question brought, a target that has taken them one after another, and its events.

import type { Answer } from '../../src/client/client.ts';
import type { Failure, Outcome } from '../../src/client/outcome.ts';
import { type Draft, recordsOf } from '../../src/evidence/record.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import { type Answers, advance } from '../../src/snapshot/advance.ts';
import { eventsBetween } from '../../src/snapshot/events.ts';
import { newTarget, type TargetSnapshot } from '../../src/snapshot/snapshot.ts';
import { noon, report, targetOptions } from './snapshot.ts';

export type Brought = HealthReport | Failure;

export interface Round {
  /** Seconds after noon. */
  readonly at: number;
  /** By tag set. */
  readonly health: Readonly<Record<string, Brought>>;
  readonly readiness?: Brought;
}

export const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };
export const timedOut: Failure = { kind: 'timeout', afterMs: 5000 };

/** A check that passes or fails; `since` and `ran` in seconds after noon. */
export const ok = (ran = 0): CheckResult => ({ contiguousFailures: 0, timestamp: noon + ran, duration: 0.5 });
export const fails = (since: number, times = 1, error = 'closed'): CheckResult => ({
  contiguousFailures: times,
  timestamp: noon + since,
  duration: 0.25,
  error,
  timeOfFirstFailure: noon + since,
});
export const notYetRun: CheckResult = { contiguousFailures: 0, error: 'not yet run', timestamp: 'never', duration: 0 };

const outcomeOf = (brought: Brought): Outcome<HealthReport> => ('kind' in brought ? brought : { kind: 'ok', value: brought });

const ready = report({ bootstrapped: ok() });

const answersOf = ({ at, health, readiness = ready }: Round): Answers => {
  const answer = (brought: Brought): Answer<HealthReport> => ({
    outcome: outcomeOf(brought),
    sentAt: noon + at - 0.01,
    endedAt: noon + at,
  });
  return {
    health: new Map(Object.entries(health).map(([tagSet, brought]) => [tagSet, answer(brought)])),
    readiness: answer(readiness),
    liveness: answer('kind' in readiness ? readiness : report({})),
    indexes: new Map(),
  };
};

export interface Watched {
  readonly target: TargetSnapshot;
  /** What each round brought to the evidence. */
  readonly records: readonly (readonly Draft[])[];
}

/** The tag sets are those of the first round; the first of them has no tags. */
export const watchedOver = (rounds: readonly Round[]): Watched => {
  const names = Object.keys(rounds[0]?.health ?? {});
  let target = newTarget(targetOptions({ tagSets: names.map((name, at) => ({ name, tags: at === 0 ? [] : [name] })) }));
  const records = rounds.map((round) => {
    const before = target;
    target = advance(before, answersOf(round));
    return recordsOf('node', eventsBetween(before, target));
  });
  return { target, records };
};
