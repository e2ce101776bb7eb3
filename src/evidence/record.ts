// One record for each transition: what a person needs to know of it later, bounded in every part.

import type { CheckResult } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';
import { shortened } from '../protocol/shortened.ts';
import type { TargetState } from '../sources/target-state.ts';
import type { Condition, Conditions } from '../verdict/condition.ts';
import type { CheckEvent, TargetEvent } from './target-events.ts';

export const kinds = [
  'check',
  'found-failing',
  'check-gone',
  'check-back',
  'node-restarted',
  'health-frozen',
  'health-running',
  'verdict',
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
  /** started, ready (of the one tag set of `tagSets`), live */
  readonly verdict?: string;
  /** Of a check: passing, failing. Of a verdict: yes, no, unknown */
  readonly from?: string;
  readonly to?: string;
  /** No report showed it: another timeOfFirstFailure proves it. */
  readonly unseen?: true;
  /** A sentence where there is no error of a check to say why. */
  readonly because?: string;
  /** What the check said while it failed: of the failure that began, or of the one that ended. */
  readonly error?: string;
  /** The class of that error. */
  readonly reason?: Reason;
  /** Of a verdict: those of the failing checks that count. */
  readonly reasons?: readonly Reason[];
  /** timeOfFirstFailure of that failure; node's clock. */
  readonly firstFailureAt?: number;
  /** Of that failure, as last seen. */
  readonly contiguousFailures?: number;
  /** The result that showed it: when it ended (node's clock) and how long it took. */
  readonly lastRunAt?: number;
  readonly durationSeconds?: number;
  /** Rounds of the node's checks just before it that no poll saw. */
  readonly missedRuns?: number;
  /** Names of the other checks that failed then, at most 20 of `alsoFailingCount`. */
  readonly alsoFailing?: readonly string[];
  readonly alsoFailingCount?: number;
}

/** A record before it has its place among the others. */
export type Draft = Omit<TransitionRecord, 'id'>;

export const limits = { name: 128, error: 1000, because: 500, names: 20 } as const;

/** What happened to a target, as records. */
export const recordsOf = (target: string, events: readonly TargetEvent[]): readonly Draft[] =>
  events.map((event) => ({ target, ...recordOf(event) }));

const restartSigns = {
  refused: 'its port was closed in between',
  readiness: 'the history of its readiness began anew',
} as const;

const recordOf = (event: TargetEvent): Omit<Draft, 'target'> => {
  const { kind, at, missedRuns } = event;
  const when = { kind, at, ...(missedRuns > 0 && { missedRuns }) };
  switch (event.kind) {
    case 'node-restarted':
      return { ...when, because: restartSigns[event.sign] };
    case 'health-running':
      return when;
    case 'health-frozen': {
      const since = `no check has run since ${new Date(event.since * 1000).toISOString()}`;
      return { ...when, because: since, ...(event.suspect !== undefined && { check: shortened(event.suspect, limits.name) }) };
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

/** Which verdicts of the target are others than before. `after`: the snapshot that they were judged from. */
export const verdictRecords = (
  target: string,
  before: TargetVerdicts | undefined,
  judged: TargetVerdicts,
  after: TargetSnapshot,
  at: number,
): readonly Draft[] => {
  const of = (verdict: string, from: Judgement | undefined, to: Judgement, tagSet?: string): readonly Draft[] =>
    from === undefined || from.state === to.state
      ? []
      : [
          {
            kind: 'verdict',
            at,
            target,
            verdict,
            from: from.state,
            to: to.state,
            because: shortened(to.because, limits.because),
            ...(to.reasons.length > 0 && { reasons: to.reasons }),
            ...(tagSet !== undefined && { tagSets: [tagSet], ...failingIn(after, tagSet) }),
          },
        ];
  return [
    ...of('started', before?.started, judged.started),
    ...[...judged.ready].flatMap(([tagSet, to]) => of('ready', before?.ready.get(tagSet), to, tagSet)),
    ...of('live', before?.live, judged.live),
  ];
};

const failingIn = ({ health }: TargetSnapshot, tagSet: string): Partial<Draft> => {
  const report = health.get(tagSet);
  if (report?.state !== 'fresh') return {};
  const names = [...report.value.checks].filter(([, { error }]) => error !== undefined).map(([name]) => name);
  if (names.length === 0) return {};
  return {
    alsoFailing: names.slice(0, limits.names).map((name) => shortened(name, limits.name)),
    alsoFailingCount: names.length,
  };
};
