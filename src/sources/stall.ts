// Whether the health checks of a target still run, and until when what is known of it stays true.

import { measuredStall, movingUntil, type Stall, type Stalling, stallAt } from '../snapshot/stall.ts';
import { followedTagSet } from './health/state.ts';
import { type Sources, sources, sourcesOf } from './sources.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

type Subject = Pick<TargetState, 'options' | 'interval' | 'progress'> & {
  readonly sources: Pick<TargetState['sources'], 'health'>;
};

const stallingOf = ({ options, interval, progress, sources: { health } }: Subject): Stalling => {
  const report = health.reports.get(followedTagSet(health, health.reports, ({ state }) => state === 'fresh') ?? '');
  const known = { progress, interval, configured: options.healthCheckFrequency, frozenAfter: options.frozenAfter };
  return report?.state === 'fresh' ? { report: report.value, reportAt: report.at, ...known } : { reportAt: 0, ...known };
};

/** Undefined where it cannot be told. */
export const stallOf = (target: Subject, now: number): Stall | undefined => stallAt(stallingOf(target), now);

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
