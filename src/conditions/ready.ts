// The Ready condition of a tag set. It counts consecutive health check runs that passed or failed, and compares them with the thresholds of
// the configuration.

import type { HealthReport } from '../protocol/health.ts';
import { newestRun, sameRun } from '../snapshot/health-run.ts';
import { askedAt, type Observed, pending } from '../snapshot/observed.ts';
import type { Readiness, TagSet } from '../snapshot/options.ts';
import { effectiveInterval, maxAge, type TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { type Conclusion, type Condition, conclude } from './condition.ts';
import { doubtOf, outdated, tooOld } from './doubt.ts';
import { type Failures, failuresOf, namesNothing, namesOf, passes, reasonsOf } from './failing.ts';
import { neverReady, type ReadyMemory } from './memory.ts';
import { failureText, unanswered, unreported } from './unanswered.ts';

export interface ReadyStep {
  readonly memory: ReadyMemory;
  readonly conclusion: Conclusion;
}

/** Undefined until the tag set is polled. `was`: the condition before. */
export const ready = (
  memory: ReadyMemory,
  tagSet: TagSet,
  state: TargetState,
  now: number,
  was?: Condition,
): ReadyStep | undefined => {
  const observed = state.sources.health.reports.get(tagSet.name) ?? pending;
  if (observed.state === 'pending') return undefined;
  const nothing = unreported(state.process);
  if (nothing !== undefined) return { memory: { ...neverReady(tagSet.tags), counted: observed }, conclusion: nothing };
  return observed.state === 'fresh'
    ? reported(memory, observed, tagSet, state, now)
    : failed(memory, observed, tagSet, state, now, was);
};

type Failed = Observed<HealthReport> & { readonly state: 'stale' | 'failed' };
type Fresh = Observed<HealthReport> & { readonly state: 'fresh' };

const failed = (
  memory: ReadyMemory,
  observed: Failed,
  tagSet: TagSet,
  state: TargetState,
  now: number,
  was: Condition | undefined,
): ReadyStep => {
  const settings = state.options.readiness;
  const { before: _, ...rest } = memory;
  const isNew = memory.counted !== observed;
  // Not by the age of the report: how long a failed poll takes depends on the timeout.
  const isDelayed = memory.isDelayed === true || now - (askedAt(memory.counted) ?? now) > maxAge(state);
  const count = isNew && { counted: observed, passes: 0, fails: memory.fails + 1 };
  const next = settled({ ...rest, isDelayed, ...count }, settings);
  const { failure } = observed;
  if (!next.ready) return { memory: next, conclusion: unanswered(failure, 'False') };
  // What kept the last report from making the condition True still does: a failed poll is no improvement.
  const doubt =
    observed.state === 'stale'
      ? (notInitialized(readinessAt(observed.at, state), tagSet, settings) ??
        (isDelayed ? outdated(observed.at, now) : undefined) ??
        doubtOf(observed.value, tagSet, state, now))
      : isDoubted(was)
        ? unanswered(failure, 'Unknown')
        : undefined;
  if (doubt !== undefined) return { memory: next, conclusion: doubt };
  const message = `${failureText(failure)}; not ready after ${settings.failAfter} consecutive failures, so far ${next.fails}`;
  return { memory: next, conclusion: conclude('True', 'WithinThreshold', message) };
};

/** The last report, which a reload has discarded, did not make the condition True. */
const isDoubted = (was: Condition | undefined): boolean =>
  was !== undefined && was.status !== 'True' && was.reason !== 'NotPolled';

const reported = (memory: ReadyMemory, observed: Fresh, tagSet: TagSet, state: TargetState, now: number): ReadyStep => {
  const settings = state.options.readiness;
  const failures = failuresOf(observed.value, tagSet, settings);
  const passed = passes(observed.value, failures);
  const age = ageOf(state, now);
  const old = age > state.options.frozenAfter * effectiveInterval(state);
  const next = settled(memory.counted === observed ? memory : counted(memory, observed, passed, old), settings);
  const byChecks = conclusionOf(next, passed, failures, settings);
  if (byChecks.status === 'False' && !passed) return { memory: next, conclusion: byChecks };
  // An unreliable report cannot make the condition True. A failing check makes it False in any case.
  const doubt =
    notInitialized(readinessAt(observed.at, state), tagSet, settings) ??
    tooOld(observed.at, state, now) ??
    doubtOf(observed.value, tagSet, state, now) ??
    (old && !next.ready ? waitingForRuns(age) : undefined);
  return { memory: next, conclusion: doubt ?? byChecks };
};

const settled = (memory: ReadyMemory, { failAfter, passAfter }: Readiness): ReadyMemory => {
  if (memory.fails >= failAfter) return { ...memory, ready: false };
  return memory.passes >= passAfter ? { ...memory, ready: true } : memory;
};

const counted = (memory: ReadyMemory, observed: Fresh, passed: boolean, old: boolean): ReadyMemory => {
  const run = newestRun(observed.value)?.start;
  const again = run !== undefined && memory.run !== undefined && Math.abs(run - memory.run) <= sameRun;
  // The first run that is seen may have ended long ago: it does not count, and a following run must show that the checks still run.
  const skipped = memory.run === undefined && old;
  const before = again ? memory.before : skipped ? undefined : { passes: memory.passes, fails: memory.fails };
  const { tags, ready } = memory;
  const known = { tags, ready, counted: observed, ...(run !== undefined && { run }), ...(before && { before }) };
  // A run that is not counted still resets the opposite count.
  const one = before === undefined ? 0 : 1;
  const from = before ?? memory;
  return passed ? { ...known, passes: from.passes + one, fails: 0 } : { ...known, passes: 0, fails: from.fails + one };
};

const conclusionOf = (memory: ReadyMemory, passed: boolean, { counting, ignored }: Failures, settings: Readiness): Conclusion => {
  if (passed) {
    const [reason, text] =
      ignored.length === 0
        ? (['ChecksPassing', 'every check passes'] as const)
        : (['FailuresIgnored', `all other checks pass; ignored: ${namesOf(ignored)}`] as const);
    if (memory.ready) return conclude('True', reason, text);
    return conclude(
      'False',
      'AwaitingRuns',
      `${text}; ready after ${settings.passAfter} consecutive runs, so far ${memory.passes}`,
    );
  }
  const fault = counting.length === 0 ? namesNothing : namesOf(counting);
  if (memory.ready)
    return conclude(
      'True',
      'WithinThreshold',
      `${fault}; not ready after ${settings.failAfter} consecutive runs, so far ${memory.fails}`,
    );
  return counting.length === 0
    ? conclude('False', 'NodeUnhealthy', fault, ['other'])
    : conclude('False', 'ChecksFailing', fault, reasonsOf(counting));
};

/** The readiness that the node reports, with the same rules, because it also fails if an unrelated subnet is bootstrapping. */
const notInitialized = (report: HealthReport | undefined, tagSet: TagSet, settings: Readiness): Conclusion | undefined => {
  if (report === undefined) return undefined;
  const failures = failuresOf(report, tagSet, settings);
  if (passes(report, failures)) return undefined;
  const { counting } = failures;
  const names = counting.length === 0 ? namesNothing : namesOf(counting);
  const reasons = counting.length === 0 ? (['other'] as const) : reasonsOf(counting);
  return conclude('False', 'NotInitialized', `the node reports that it is not ready: ${names}`, reasons);
};

/** The readiness that the node reported in the poll of the health report, which arrived `at` this time. */
const readinessAt = (at: number, state: TargetState): HealthReport | undefined => {
  const { readiness } = state.sources;
  if (readiness.state === 'fresh') return readiness.value;
  return readiness.state === 'stale' && at - readiness.at < effectiveInterval(state) / 2 ? readiness.value : undefined;
};

const waitingForRuns = (age: number): Conclusion =>
  conclude('Unknown', 'AwaitingRuns', `the checks last ran ${span(age)} ago: waiting for the next run`);

/** Seconds since a check last ran, by the exporter's clock, because the node's may be set. 0 if nothing has run, or if it is unknown. */
const ageOf = ({ progress }: TargetState, now: number): number => (progress.since === undefined ? 0 : now - progress.since);
