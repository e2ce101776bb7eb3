// Polls as values: the responses of each poll, the target after them, and its events.

import type { Answer } from '../../src/client/client.ts';
import type { Failure, Outcome } from '../../src/client/outcome.ts';
import type { Draft } from '../../src/events/record.ts';
import { recordsBetween } from '../../src/events/target-records.ts';
import { applyPoll } from '../../src/poller/apply.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import { type PollAnswers, sources } from '../../src/sources/sources.ts';
import { newTarget, type TargetState } from '../../src/sources/target-state.ts';
import { noon, report, targetOptions } from './snapshot.ts';

export type Brought = HealthReport | Failure;

export interface Round {
  /** Seconds after noon. */
  readonly at: number;
  /** By tag set, the untagged one first. */
  readonly health: Readonly<Record<string, Brought>>;
  readonly readiness?: Brought;
  /** The response of `info.getNodeVersion`; absent if not requested. */
  readonly version?: string | Failure;
  /** The Node-Id header; absent if missing. */
  readonly nodeId?: string;
}

export const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };
export const timedOut: Failure = { kind: 'timeout', afterMs: 5000 };

/** A passing or failing check; `since` and `ran` are seconds after noon. */
export const ok = (ran = 0): CheckResult => ({ contiguousFailures: 0, timestamp: noon + ran, duration: 0.5 });
export const fails = (since: number, times = 1, error = 'closed'): CheckResult => ({
  contiguousFailures: times,
  timestamp: noon + since,
  duration: 0.25,
  error,
  timeOfFirstFailure: noon + since,
});
export const notYetRun: CheckResult = { contiguousFailures: 0, error: 'not yet run', timestamp: 'never', duration: 0 };

export const outcomeOf = (brought: Brought): Outcome<HealthReport> =>
  'kind' in brought ? brought : { kind: 'ok', value: brought };

const ready = report({ bootstrapped: ok() });

/** The requests of one poll and their time. */
const askedIn = ({ at, health, readiness = ready, version, nodeId }: Round): PollAnswers => {
  const times = { sentAt: noon + at - 0.01, endedAt: noon + at, ...(nodeId !== undefined && { nodeId }) };
  const answer = (brought: Brought): Answer<HealthReport> => ({ outcome: outcomeOf(brought), ...times });
  const known = <T>(value: T): Answer<T> => ({ outcome: { kind: 'ok', value }, ...times });
  const api = known({ state: 'on' } as const);
  return {
    readiness: answer(readiness),
    health: {
      reports: new Map(Object.entries(health).map(([tagSet, brought]) => [tagSet, answer(brought)])),
      tags: new Map(),
    },
    liveness: answer('kind' in readiness ? readiness : report({})),
    ...(version !== undefined && {
      info: { api, version: typeof version === 'string' ? known(version) : { outcome: version, ...times } },
    }),
  };
};

export interface Watched {
  readonly target: TargetState;
  /** The event records of each poll. */
  readonly records: readonly (readonly Draft[])[];
}

/** The tag sets are those of the first poll; the first of them has no tags. */
export const watchedOver = (rounds: readonly Round[]): Watched => {
  const names = Object.keys(rounds[0]?.health ?? {});
  let target = newTarget(targetOptions({ tagSets: names.map((name, at) => ({ name, tags: at === 0 ? [] : [name] })) }));
  const records = rounds.map((round) => {
    const before = target;
    const [startedAt, endedAt] = [noon + round.at - 0.01, noon + round.at];
    target = applyPoll(sources, before, askedIn(round), { startedAt, endedAt, afterClose: false }).state;
    return recordsBetween(before, target);
  });
  return { target, records };
};
