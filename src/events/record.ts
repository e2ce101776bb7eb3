// One record for each transition: what a person needs to know of it later, bounded in every part.

import type { Condition, Target } from '../conditions/condition.ts';
import type { CheckResult } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import type { TargetState } from '../sources/target-state.ts';
import { shortened } from '../text.ts';
import type { CheckEvent, TargetEvent } from './target-events.ts';

export const kinds = [
  'check',
  'found-failing',
  'check-gone',
  'check-back',
  'node-restarted',
  'node-id-changed',
  'health-frozen',
  'health-running',
  'condition',
] as const;
export type Kind = (typeof kinds)[number];

/** Instants are seconds since the Unix epoch. What is not known is absent. */
export interface TransitionRecord {
  /** Of this record alone, in every run; for a cursor, not to be read. */
  readonly id: string;
  readonly kind: Kind;
  /** When the exporter knew; its own clock. */
  readonly at: number;
  readonly target: string;
  /** Whose reports showed it; the whole node's first. */
  readonly tagSets?: readonly string[];
  readonly check?: string;
  /** Started, Live; Ready and Healthy, each of the one tag set of `tagSets` */
  readonly condition?: string;
  /** Of a check: passing, failing. Of a condition: True, False, Unknown. Of a node: its NodeID */
  readonly from?: string;
  readonly to?: string;
  /** No report showed it: another timeOfFirstFailure proves it. */
  readonly unseen?: true;
  /** A sentence where there is no error of a check to say why. */
  readonly message?: string;
  /** What the check said while it failed: of the failure that began, or of the one that ended. */
  readonly error?: string;
  /** The class of that error. */
  readonly reason?: Reason;
  /** Of a condition: the reasons of the failing checks that count. */
  readonly failureReasons?: readonly Reason[];
  /** timeOfFirstFailure of that failure; node's clock. */
  readonly firstFailureAt?: number;
  /** Of that failure, as last seen. */
  readonly contiguousFailures?: number;
  /** The result that showed it: when it ended (node's clock) and how long it took. */
  readonly lastRunAt?: number;
  readonly durationSeconds?: number;
  /** Rounds of the node's checks just before it that no poll saw. */
  readonly missedRuns?: number;
  /** Names of the other checks that failed then, worst first, at most 20 of `alsoFailingCount`. */
  readonly alsoFailing?: readonly string[];
  readonly alsoFailingCount?: number;
}

/** A record before it has its place among the others. */
export type Draft = Omit<TransitionRecord, 'id'>;

export const limits = { name: 128, error: 1000, message: 500, names: 20 } as const;

/** What happened to a target, as records. `wallOffset`: wall clock − steady clock. */
export const recordsOf = (target: string, events: readonly TargetEvent[], wallOffset = 0): readonly Draft[] =>
  events.map((event) => ({ target, ...recordOf(event, wallOffset) }));

const restartSigns = {
  refused: 'its port was closed in between',
  readiness: 'its readiness history was reset',
} as const;

const recordOf = (event: TargetEvent, wallOffset: number): Omit<Draft, 'target'> => {
  const { kind, at, missedRuns } = event;
  const when = { kind, at: at + wallOffset, ...(missedRuns > 0 && { missedRuns }) };
  switch (event.kind) {
    case 'node-restarted':
      return { ...when, message: restartSigns[event.sign] };
    case 'node-id-changed':
      return { ...when, from: event.from, to: event.to };
    case 'health-running':
      return when;
    case 'health-frozen': {
      const since = `no check has run since ${new Date((event.since + wallOffset) * 1000).toISOString()}`;
      return { ...when, message: since, ...(event.suspect !== undefined && { check: shortened(event.suspect, limits.name) }) };
    }
    default:
      return { ...when, ...ofCheck(event) };
  }
};

const ofCheck = (event: CheckEvent): Partial<Draft> => ({
  tagSets: event.tagSets,
  check: shortened(event.check, limits.name),
  ...('from' in event && { from: event.from }),
  ...('to' in event && { to: event.to }),
  ...(event.kind === 'found-failing' && { to: 'failing' }),
  ...(event.kind === 'check' && event.unseen === true && { unseen: true as const }),
  ...(event.failure !== undefined && ofFailure(event.check, event.failure)),
  ...(event.result !== undefined && ofResult(event.result)),
  ...(event.alsoFailingCount > 0 && {
    alsoFailing: event.alsoFailing.map((name) => shortened(name, limits.name)),
    alsoFailingCount: event.alsoFailingCount,
  }),
});

const ofFailure = (check: string, failure: CheckResult): Partial<Draft> => {
  const { error = '', timeOfFirstFailure, contiguousFailures } = failure;
  const reason = reasonOf(check, failure);
  return {
    error: shortened(error, limits.error),
    ...(reason !== undefined && { reason }),
    contiguousFailures,
    ...(timeOfFirstFailure !== undefined && { firstFailureAt: timeOfFirstFailure }),
  };
};

const ofResult = ({ timestamp, duration }: CheckResult): Partial<Draft> => ({
  ...(typeof timestamp === 'number' && { lastRunAt: timestamp }),
  ...(duration !== undefined && { durationSeconds: duration }),
});

/** Which conditions of the target have another status than before. */
export const conditionRecords = (before: Target, after: Target, at: number): readonly Draft[] => {
  const target = after.state.options.name;
  const of = (condition: string, from: Condition | undefined, to: Condition, tagSet?: string): readonly Draft[] =>
    from === undefined || from.status === to.status
      ? []
      : [
          {
            kind: 'condition',
            at,
            target,
            condition,
            from: from.status,
            to: to.status,
            message: shortened(to.message, limits.message),
            ...(to.failureReasons.length > 0 && { failureReasons: to.failureReasons }),
            ...(tagSet !== undefined && { tagSets: [tagSet], ...failingIn(after.state, tagSet) }),
          },
        ];
  const [was, is] = [before.conditions, after.conditions];
  return [
    ...of('Started', was.started, is.started),
    ...[...is.ready].flatMap(([tagSet, to]) => of('Ready', was.ready.get(tagSet), to, tagSet)),
    ...[...is.healthy].flatMap(([tagSet, to]) => of('Healthy', was.healthy.get(tagSet), to, tagSet)),
    ...of('Live', was.live, is.live),
  ];
};

const failingIn = ({ sources }: TargetState, tagSet: string): Partial<Draft> => {
  const report = sources.health.reports.get(tagSet);
  if (report?.state !== 'fresh') return {};
  const failing = failingChecks(report.value);
  if (failing.length === 0) return {};
  return {
    alsoFailing: failing.slice(0, limits.names).map(({ check }) => shortened(check, limits.name)),
    alsoFailingCount: failing.length,
  };
};
