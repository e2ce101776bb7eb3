// Whether the health checks of a target still run, and until when what is known of it stays true.

import type { HealthReport } from '../protocol/health.ts';
import type { Observed } from '../snapshot/observed.ts';
import { measuredStall, movingUntil, type Stall, type Stalling, stallAt } from '../snapshot/stall.ts';
import type { AnySource, SourceTable } from './source.ts';
import { type Sources, sourceNames, sources } from './sources.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

type Subject = Pick<TargetState, 'options' | 'interval' | 'progress'> & {
  readonly sources: Pick<TargetState['sources'], 'health'>;
};

const stallingOf = ({ options, interval, progress, sources: { health } }: Subject): Stalling => {
  const observed = followed(health);
  const known = { progress, interval, configured: options.healthCheckFrequency, frozenAfter: options.frozenAfter };
  return observed?.state === 'fresh' ? { ...known, report: observed.value, reportAt: observed.at } : { ...known, reportAt: 0 };
};

/** The report by which runs are followed: the untagged one, or the first of a tag set where that does not come. */
const followed = ({ reports, untagged }: Subject['sources']['health']): Observed<HealthReport> | undefined => {
  const whole = reports.get(untagged);
  if (whole?.state === 'fresh') return whole;
  for (const report of reports.values()) if (report.state === 'fresh') return report;
  return whole;
};

/** Undefined where it cannot be told. */
export const stallOf = (target: Subject, now: number): Stall | undefined => stallAt(stallingOf(target), now);

/** In check intervals that were measured: what may end a node must not follow from a configured one. */
export const measuredStallOf = (target: Subject, now: number): ReturnType<typeof measuredStall> =>
  measuredStall(stallingOf(target), now);

/** The instant until which (inclusive) what is true of the target at `now` stays so, if nothing new is learnt. */
export const trueUntil = <T extends SourceTable & Sources>(table: T, target: TargetState<T>, now: number): number => {
  let until = movingUntil(stallingOf(target), now);
  for (const name of sourceNames(table)) {
    const source: AnySource | undefined = table[name];
    const limit = source === undefined ? 0 : maxAgeOf(source, target);
    for (const at of source?.observedAt(target.sources[name]) ?? []) if (now - at <= limit) until = Math.min(until, at + limit);
  }
  return until;
};

/** As trueUntil, of the table as it stands. */
export const targetTrueUntil = (target: TargetState, now: number): number => trueUntil(sources, target, now);
