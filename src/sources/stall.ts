// Whether the health checks of a target still run, and until when what is known of it stays true.

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
  const known = { progress, interval, configured: options.healthCheckFrequency, frozenAfter: options.frozenAfter };
  return report !== undefined && 'value' in report
    ? { report: report.value, reportAt: report.at, ...known }
    : { reportAt: 0, ...known };
};

/** Undefined where it cannot be told. */
export const stallOf = (target: Subject, now: number): Stall | undefined => stallAt(stallingOf(target), now);

/** As the last report of the process showed it, whatever failed since. */
export const lastStallOf = (target: Subject): Stall | undefined => {
  const fresh = stallingOf(target);
  const last = fresh.report === undefined ? stallingOf(target, ['stale']) : fresh;
  return stallAt(last, last.reportAt);
};

/** In check intervals that were measured: what may end a node must not follow from a configured one. */
export const measuredStallOf = (target: Subject, now: number): ReturnType<typeof measuredStall> =>
  measuredStall(stallingOf(target), now);

/** The instant until which (inclusive) what is true of the target at `now` stays so, if nothing new is learnt. */
export const trueUntil = (target: TargetState, now: number, table: Sources = sources): number => {
  let until = movingUntil(stallingOf(target), now);
  for (const [name, source] of sourcesOf(table)) {
    const limit = maxAgeOf(source, target);
    for (const at of source.observedAt(target.sources[name])) if (now - at <= limit) until = Math.min(until, at + limit);
  }
  return until;
};
