// Log entries of a target's sources, other than events: changes, and ongoing states.

import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';
import { isSubsecond } from '../snapshot/subsecond.ts';
import { type Sources, sourcesOf } from './sources.ts';
import type { TargetState } from './target-state.ts';

export const changes = (table: Sources, before: TargetState, after: TargetState): readonly LogEntry[] => {
  const { confirmed: inferred } = after.interval;
  const known = before.interval.confirmed;
  const other = inferred !== undefined && (known === undefined || Math.abs(inferred - known) > 0.1 * known);
  const interval: readonly LogEntry[] = other
    ? [{ level: 'info', message: 'health check interval inferred', fields: { seconds: Math.round(inferred * 1000) / 1000 } }]
    : [];
  const isFast = isSubsecond(after.interval) && !isSubsecond(before.interval);
  const message = 'health checks run more often than once a second: interval and missed runs unknown';
  return [
    ...sourcesOf(table).flatMap(([name, source]) => source.changes(before.sources[name], after.sources[name], after.options)),
    ...interval,
    ...(isFast ? [{ level: 'warn' as const, message, fields: {} }] : []),
  ];
};

export const ongoingIn = (table: Sources, { sources, options }: TargetState): readonly Ongoing[] =>
  sourcesOf(table).flatMap(([name, source]) => source.ongoing(sources[name], options));
