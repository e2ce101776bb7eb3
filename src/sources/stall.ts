// Detects whether the health checks of a target still run, and how long its state stays valid.

import type { HealthReport } from '../protocol/health.ts';
import type { Observed } from '../snapshot/observed.ts';
import { measuredStall, movingUntil, type Stall, type Stalling, stallAt } from '../snapshot/stall.ts';
import { followedTagSet } from './health/state.ts';
import { type Sources, sources, sourcesOf } from './sources.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

type Subject = Pick<TargetState, 'options' | 'interval' | 'progress'> & {
  readonly sources: Pick<TargetState['sources'], 'health'>;
};

const stallingOf = (
  { options, interval, progress, sources: { health } }: Subject,
  states: readonly Observed<HealthReport>['state'][] = ['fresh'],
): Stalling => {
  const report = health.reports.get(followedTagSet(health, health.reports, ({ state }) => states.includes(state)) ?? '');
  const { healthCheckFrequency: configured, frozenAfter, source } = options;
  const known = { progress, interval, configured, isCertain: source === 'probe', frozenAfter };
  return report !== undefined && 'value' in report
    ? { report: report.value, reportAt: report.at, ...known }
    : { reportAt: 0, ...known };
};

/** Whether the health checks are stalled. Undefined if that is not known. */
export const stallOf = (target: Subject, now: number): Stall | undefined => stallAt(stallingOf(target), now);

/** The same, by the last report of a node whose last poll failed. */
export const staleStallOf = (target: Subject, now: number): Stall | undefined => stallAt(stallingOf(target, ['stale']), now);

/** As of the last report of the process, regardless of later failures. */
export const lastStallOf = (target: Subject): Stall | undefined => {
  const fresh = stallingOf(target);
  const last = fresh.report === undefined ? stallingOf(target, ['stale']) : fresh;
  return stallAt(last, last.reportAt);
};

/** Uses only measured check intervals: a node must not be terminated because of a configured one. */
export const measuredStallOf = (target: Subject, now: number): ReturnType<typeof measuredStall> =>
  measuredStall(stallingOf(target), now);

/** Time until which (inclusive) the state of the target at `now` stays valid without new responses. */
export const trueUntil = (target: TargetState, now: number, table: Sources = sources): number => {
  let until = movingUntil(stallingOf(target), now);
  for (const [name, source] of sourcesOf(table)) {
    const limit = maxAgeOf(source, target);
    for (const at of source.observedAt(target.sources[name])) if (now - at <= limit) until = Math.min(until, at + limit);
  }
  return until;
};
