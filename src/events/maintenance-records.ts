// Records of the beginning and end of a target's maintenance.

import type { Target } from '../conditions/condition.ts';
import type { MaintenanceWindow } from '../maintenance/window.ts';
import { isoOf } from '../text.ts';
import type { Draft, EventKind } from './record.ts';

const kinds: ReadonlySet<EventKind> = new Set(['maintenance', 'maintenance-ended']);

const messageOf = ({ end, reason, source }: MaintenanceWindow): string => `until ${isoOf(end)} (${source}): ${reason}`;

/** Earlier records of the target, newest last. */
type Recorded = readonly Pick<Draft, 'kind' | 'message'>[];

const lastOf = (recorded: Recorded): Recorded[number] | undefined => recorded.findLast(({ kind }) => kinds.has(kind));

/** Not recorded again if the last record is the same, from an earlier run or before a reload. */
export const maintenanceRecords = ({ state, maintenance }: Target, recorded: Recorded, at: number): readonly Draft[] => {
  const target = state.options.name;
  const draft: Draft =
    maintenance === undefined
      ? { kind: 'maintenance-ended', at, target }
      : { kind: 'maintenance', at, target, message: messageOf(maintenance) };
  const last = lastOf(recorded);
  return last?.kind === draft.kind && last.message === draft.message ? [] : [draft];
};

/** For a target that starts, or is reset: records the end of maintenance that is open in the history, and ended while it was not watched. */
export const endedUnwatched = (target: Target, recorded: Recorded, at: number): readonly Draft[] =>
  target.maintenance === undefined && lastOf(recorded)?.kind === 'maintenance' ? maintenanceRecords(target, recorded, at) : [];
